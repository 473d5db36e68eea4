// A tool that listens to NVTX: writes each range that begins and ends, and each name, as a line
// into the file that HYPATIA_MOCK_NVTX names.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nvtx3/nvToolsExtCuda.h>
#include <unistd.h>

namespace {

std::FILE* out() {
  static std::FILE* file = std::fopen(std::getenv("HYPATIA_MOCK_NVTX"), "a");
  return file;
}

int domain = 0;

nvtxDomainHandle_t create(const char*) {
  return reinterpret_cast<nvtxDomainHandle_t>(&domain);
}

int push(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  std::fprintf(out(), "%s", event->message.ascii);
  if (event->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {
    std::fprintf(out(), " [%llu]", static_cast<unsigned long long>(event->payload.ullValue));
  }
  std::fprintf(out(), " {\n");
  std::fflush(out());
  return 0;
}

int pop(nvtxDomainHandle_t) {
  std::fprintf(out(), "}\n");
  std::fflush(out());
  return 0;
}

void name_stream(CUstream stream, const char* name) {
  std::fprintf(out(), "stream %p is %s\n", static_cast<void*>(stream), name);
  std::fflush(out());
}

void name_thread(std::uint32_t thread, const char* name) {
  const bool is_main = thread == static_cast<std::uint32_t>(getpid());
  std::fprintf(out(), "%s is %s\n", is_main ? "the first thread" : "a thread", name);
  std::fflush(out());
}

/// Where the library's table of a module holds its functions.
NvtxFunctionTable table_of(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
  NvtxFunctionTable functions = nullptr;
  unsigned int size = 0;
  return callbacks.GetModuleFunctionTable(module, &functions, &size) ? functions : nullptr;
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* table =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  if (!table) return 0;
  const NvtxFunctionTable core = table_of(*table, NVTX_CB_MODULE_CORE);
  const NvtxFunctionTable core2 = table_of(*table, NVTX_CB_MODULE_CORE2);
  const NvtxFunctionTable cuda = table_of(*table, NVTX_CB_MODULE_CUDA);
  if (!core || !core2 || !cuda) return 0;
  *core[NVTX_CBID_CORE_NameOsThreadA] = reinterpret_cast<NvtxFunctionPointer>(name_thread);
  *cuda[NVTX_CBID_CUDA_NameCuStreamA] = reinterpret_cast<NvtxFunctionPointer>(name_stream);
  *core2[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create);
  *core2[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *core2[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
