#include "binding/parts.h"
#include "binding/python_scope.h"
#include "python/interrupts.h"

namespace stridelab::binding {
namespace {

void Share(PythonState& state, const Napi::Value& given) {
  const auto words = Convert(Argument{given, "words"}, As<std::span<std::int32_t>>{});
  if (words.size() < python::kInterruptWords) Refuse("words must be an Int32Array of eight elements");
  state.interrupt_words = Napi::Persistent(given.As<Napi::Object>());
  python::ShareInterruptWords(words.data());
}

constexpr Function kTable[] = {
    Bind<Share>("share", "words"),
    Python<python::InterruptAsyncCalls>("interruptAsyncCalls", "cell"),
};

}  // namespace

const Functions kPythonInterruptCalls = kTable;

}  // namespace stridelab::binding
