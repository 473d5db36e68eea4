// One launch: copies in, the kernel, copies out.
#include "engine/core/error.h"
#include "engine/run/raw/bind.h"
#include "engine/run/raw/device_array.h"
#include "engine/run/raw/module_impl.h"

namespace hypatia::cuda {

namespace {

/// The device's side of the arguments, for the time of a launch.
class Arguments {
 public:
  Arguments(Device& device, std::span<const Parameter> parameters, std::span<const Argument> list)
      : list_(list), storages_(list.size()), values_(list.size()), addresses_(list.size()) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      addresses_[i] = &values_[i];
      if (list[i].is_number()) {
        // That a number's parameter has a dtype was checked.
        values_[i] = bytes_of_number(list[i], parameters[i].dtype.value_or(DType::int64));
      } else if (list[i].kind() == Argument::Kind::device_array) {
        set_address(i, list[i].array().address());
      } else {
        storages_[i] = device.allocate(list[i].array().bytes());
        set_address(i, storages_[i]->data());
      }
    }
  }

  void copy_in(std::size_t i, Device& device, Queue* queue) {
    const Array here = list_[i].array().contiguous_on_host();
    here.sync();
    device.copy_in(*storages_[i], 0, here.address(), here.bytes(), queue);
  }

  void copy_out(std::size_t i, Device& device, Queue* queue) {
    const Array& target = list_[i].array();
    const Array row_major = target.contiguous() ? target : Array(target.dtype(), target.dims());
    device.copy_out(
        *row_major.storage(),
        static_cast<std::size_t>(row_major.offset()),
        *storages_[i],
        0,
        row_major.bytes(),
        queue);
    row_major.sync();
    if (!target.contiguous()) copy_elements(row_major, target);
  }

  void* const* addresses() { return addresses_.data(); }

 private:
  void set_address(std::size_t i, void* address) {
    values_[i] = std::bit_cast<std::array<std::byte, 8>>(address);
  }

  std::span<const Argument> list_;
  std::vector<Ref<Storage>> storages_;
  std::vector<std::array<std::byte, 8>> values_;
  std::vector<void*> addresses_;
};

}  // namespace

KernelImpl::KernelImpl(Ref<ModuleImpl> module, const std::string& name)
    : module_(std::move(module)),
      kernel_(module_->code().find(name)),
      parameters_(module_->parameters_of(name)) {
  if (Observer* observer = module_->observer()) {
    profile_ = std::make_unique<LaunchProfile>(*observer);
  }
}

void KernelImpl::run(
    const Launch& launch,
    std::span<const Argument> list,
    const Stream& stream,
    const Origin& at,
    double* seconds) const {
  Device& device = module_->device();
  check_arguments(name(), parameters_, list, device.place());
  const LaunchFacts facts{
      name(), module_->source().text, device.info().name, parameters_, list, launch, at};
  HeardLaunch heard(profile_.get(), facts);
  Queue* const queue = stream.queue();
  Arguments arguments(device, parameters_, list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].goes_in()) continue;
    heard.next_step();
    arguments.copy_in(i, device, queue);
  }
  heard.next_step();
  const Ref<Marker> begin = seconds ? device.record(queue) : nullptr;
  device.launch(kernel_, launch, arguments.addresses(), queue);
  if (seconds) *seconds = device.record(queue)->seconds_since(*begin);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].comes_out()) continue;
    heard.next_step();
    arguments.copy_out(i, device, queue);
  }
}

}  // namespace hypatia::cuda
