// The most frequent calls, as functions of keys (object.h).
#include "binding/objects.h"
#include "binding/parts.h"

namespace stridelab::binding {
namespace {

std::uint64_t Launch(const Keyed<KernelObject>& kernel, const Keyed<StreamObject>& stream,
                     Within<std::size_t, 0, INT32_MAX> operands, const core::InterruptFlag& interrupt) {
  return kernel.object.Launch(stream.native(), operands, interrupt);
}

void Record(const Keyed<StreamObject>& stream, const Keyed<EventObject>& event) {
  event.native()->RecordOn(stream.native());
}

void Wait(const Keyed<StreamObject>& stream, const Keyed<EventObject>& event) {
  core::Stream& waiting = *stream.native();
  waiting.WaitFor(*event.native());
  waiting.NoteOperation();
}

bool Unshared(const Keyed<StorageObject>& storage) { return storage.object.unshared(); }

constexpr Function kKeyedTable[] = {
    Bind<Launch>("launch", "kernel", "stream", "operands"),
    Bind<Record>("record", "stream", "event"),
    Bind<Wait>("wait", "stream", "event"),
    Bind<Unshared>("unshared", "storage"),
};

}  // namespace

const Functions kKeyedCalls = kKeyedTable;

}  // namespace stridelab::binding
