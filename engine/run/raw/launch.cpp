// One launch: copies in, the kernel, copies out.
#include "engine/core/error.h"
#include "engine/run/raw/bind.h"
#include "engine/run/raw/bounds_watch.h"
#include "engine/run/raw/device_array.h"
#include "engine/run/raw/launch_watch.h"
#include "engine/run/raw/module.h"
#include "engine/run/raw/module_impl.h"

namespace hypatia::cuda {

namespace {

thread_local std::int64_t launches = 0;

/// The device's side of the arguments, for the time of a launch.
class Arguments {
 public:
  Arguments(Device& device, std::span<const Parameter> parameters, std::span<const Argument> list)
      : list_(list),
        watch_(BoundsWatch::current()),
        margin_(watch_ ? BoundsWatch::margin : 0),
        storages_(list.size()),
        values_(list.size()),
        addresses_(list.size()) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      addresses_[i] = &values_[i];
      if (list[i].is_number()) {
        // That a number's parameter has a dtype was checked.
        values_[i] = bytes_of_number(list[i], parameters[i].dtype.value_or(DType::int64));
      } else if (list[i].kind() == Argument::Kind::device_array) {
        set_address(i, list[i].array().address());
      } else {
        storages_[i] = device.allocate(margin_ + list[i].array().bytes() + margin_);
        set_address(i, static_cast<std::byte*>(storages_[i]->data()) + margin_);
      }
    }
  }

  void copy_in(std::size_t i, Device& device, Queue* queue) {
    const Array here = list_[i].array().contiguous_on_host();
    here.sync();
    device.copy_in(*storages_[i], margin_, here.address(), here.bytes(), queue);
  }

  void copy_out(std::size_t i, Device& device, Queue* queue) {
    const Array& target = list_[i].array();
    const Array row_major = target.contiguous() ? target : Array(target.dtype(), target.dims());
    device.copy_out(
        *row_major.storage(),
        static_cast<std::size_t>(row_major.offset()),
        *storages_[i],
        margin_,
        row_major.bytes(),
        queue);
    row_major.sync();
    if (!target.contiguous()) copy_elements(row_major, target);
  }

  void* const* addresses() { return addresses_.data(); }

  /// Before the launch: fills the margins of what is copied, if anybody watches.
  void fill_margins(Device& device, Queue* queue) {
    for (std::size_t i = 0; watch_ && i < list_.size(); ++i) {
      if (!storages_[i]) continue;
      for (const std::size_t at : {std::size_t{0}, margin_ + list_[i].array().bytes()})
        device.fill(*storages_[i], at, BoundsWatch::pattern, margin_, queue);
    }
  }

  /// After the launch: tells who watches what was written there. Waits.
  void look_beside(
      const std::string& kernel,
      std::span<const Parameter> parameters,
      Device& device,
      Queue* queue) {
    for (std::size_t i = 0; watch_ && i < list_.size(); ++i) {
      if (!storages_[i]) continue;
      const Array& array = list_[i].array();
      const Ref<Storage> before = margin_at(i, 0, device, queue);
      const Ref<Storage> after = margin_at(i, margin_ + array.bytes(), device, queue);
      watch_->look(
          {kernel, parameters[i].name, array.elements()},
          array.dtype(),
          static_cast<const std::uint8_t*>(before->data()),
          static_cast<const std::uint8_t*>(after->data()));
    }
  }

 private:
  Ref<Storage> margin_at(std::size_t i, std::size_t offset, Device& device, Queue* queue) {
    const Ref<Storage> here = allocate_host(margin_);
    device.copy_out(*here, 0, *storages_[i], offset, margin_, queue);
    here->wait();
    return here;
  }

  void set_address(std::size_t i, void* address) {
    values_[i] = std::bit_cast<std::array<std::byte, 8>>(address);
  }

  std::span<const Argument> list_;
  BoundsWatch* watch_;
  std::size_t margin_;  // bytes before and behind what is copied
  std::vector<Ref<Storage>> storages_;
  std::vector<std::array<std::byte, 8>> values_;
  std::vector<void*> addresses_;
};

}  // namespace

std::int64_t launched_kernels() {
  return launches;
}

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
  LaunchWatch* const watch = LaunchWatch::current();
  if (watch) watch->begins(name(), list);
  HeardLaunch heard(profile_.get(), facts);
  Queue* const queue = stream.queue();
  Arguments arguments(device, parameters_, list);
  arguments.fill_margins(device, queue);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].goes_in()) continue;
    heard.next_step();
    arguments.copy_in(i, device, queue);
  }
  heard.next_step();
  const Ref<Marker> begin = seconds ? device.record(queue) : nullptr;
  device.launch(kernel_, launch, arguments.addresses(), queue);
  ++launches;
  if (seconds) *seconds = device.record(queue)->seconds_since(*begin);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].comes_out()) continue;
    heard.next_step();
    arguments.copy_out(i, device, queue);
  }
  arguments.look_beside(name(), parameters_, device, queue);
  if (watch) watch->ends(list);
}

}  // namespace hypatia::cuda
