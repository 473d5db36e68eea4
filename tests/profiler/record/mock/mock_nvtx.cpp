// A tool that listens to NVTX: writes each range that begins and ends as a line into the file that
// HYPATIA_MOCK_NVTX names.

#include <cstdio>
#include <cstdlib>
#include <nvtx3/nvToolsExt.h>

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
  std::fprintf(out(), "%s {\n", event->message.ascii);
  std::fflush(out());
  return 0;
}

int pop(nvtxDomainHandle_t) {
  std::fprintf(out(), "}\n");
  std::fflush(out());
  return 0;
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* table =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned int size = 0;
  if (!table || !table->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &size)) return 0;
  *functions[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create);
  *functions[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *functions[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
