/** Wording of each kind of fact, sent to the page with each picture. Rules 66 to 106 are the CUDA Array Interface's, 107 to 190 DLPack's. */

import type { Lane, Mark, StepWords, StreamArgument } from './schema.ts';

/** Makes steps between two lifelines. Fields of the fact in braces become `%1`, `%2` by their order in the sentence, for translators. */
const way =
  (mark: Mark, from: Lane, to: Lane) =>
  (label: string, sentence: string, rules: readonly number[] = []): StepWords => {
    const fields: string[] = [];
    const numbered = (text: string): string =>
      text.replace(/\{(\w+)\}/g, (_, field: string) => `%${fields.indexOf(field) + 1 || fields.push(field)}`);
    const says = numbered(sentence);
    return [mark, from, to, numbered(label), says, rules, ...fields];
  };

const ask = way('call', 'consumer', 'producer');
const answer = way('answer', 'producer', 'consumer');
const producerWork = way('work', 'producer', 'producer-stream');
const consumerWork = way('work', 'consumer', 'consumer-stream');
const join = way('wait', 'producer-stream', 'producer-stream');
const waitBack = way('wait', 'consumer-stream', 'producer-stream');
const note = way('note', 'consumer-stream', 'consumer-stream');
const noWait = (sentence: string, rules: readonly number[]): StepWords => note('no wait', sentence, rules);
const noWayBack = way('note', 'producer-stream', 'producer-stream');
const view = way('note', 'consumer', 'consumer');

/** Keyed by `kind.form.protocol`, `kind.protocol`, `kind.form` or `kind`. */
export const STEP_WORDS: Readonly<Record<string, StepWords>> = {
  work: producerWork('{access}', "The producer's last {access} on {stream} has completed.", [81]),
  'work.yes': producerWork(
    '{access}',
    'The producer submits a {access} to {stream}. The call returns immediately; the device runs it later.',
    [79, 154]
  ),
  'ask-interface': ask(
    '`__cuda_array_interface__`',
    'The consumer reads `__cuda_array_interface__`: a snapshot, to be read again after further work.',
    [83]
  ),
  join: join(
    'waits for {other}',
    'The descriptor names one stream for all pending work, so {stream} waits for {other}.',
    [80]
  ),
  'join.per-thread': join(
    'legacy waits for it',
    'The {stream} waits for the {other}, because 2 means a different stream in each thread.',
    [70]
  ),
  'join.version': join(
    'legacy waits for it',
    'The {stream} waits for {other}, because versions below 3 have no stream.',
    [10]
  ),
  'join.unread': join(
    'legacy waits too',
    'The {stream} waits for {other}, for consumers that ignore the `stream` of a descriptor.',
    [10]
  ),
  descriptor: answer(
    '`stream: {stream}`',
    'The descriptor contains `stream: {stream}`, {names}: work ordered after it sees the data.',
    [69, 71, 79]
  ),
  'descriptor.yes': answer(
    '`stream: {stream}, event`',
    'The descriptor contains `stream: {stream}`, {names}, and an event to wait for instead.',
    [71]
  ),
  'descriptor.none': answer(
    '`stream: {stream}`',
    'The descriptor (version {version}) contains `stream: {stream}`: nothing to wait for.',
    [66, 81, 10]
  ),
  'ask-device': ask('`__dlpack_device__()`', 'The consumer asks for the device of the data first.', [141]),
  device: answer('`{pair}`', '`{pair}` is {name}. The call touches neither data nor streams.', [132, 141]),
  'ask-capsule': ask(
    '`__dlpack__(stream={stream})`',
    '`__dlpack__(stream={stream}, {options})`: the consumer passes the stream that it will read on, {names}.',
    [151, 161]
  ),
  'ask-capsule.-1': ask(
    '`__dlpack__(stream=-1)`',
    '`__dlpack__(stream=-1, {options})`: the consumer asks for no synchronization.',
    [151]
  ),
  'ask-capsule.none': ask(
    '`__dlpack__(stream={stream})`',
    '`__dlpack__(stream={stream}, {options})`: host memory has no stream, so the data must be ready on return.',
    [153]
  ),
  table: answer(
    'exchange table',
    'Native code exports the tensor through the exchange table, without synchronization.',
    [173, 176]
  ),
  tensor: answer(
    'tensor',
    'Python exports a tensor, through the exchange table of its class or `__dlpack__(stream={stream})`: {names}.',
    [154, 176]
  ),
  'tensor.none': answer('tensor', 'Python exports a tensor in host memory, which is ready.', [153]),
  lend: ask(
    '`fromDlpack`',
    'Both sides are Stridelab: no capsule is needed, and the view uses {stream}.',
    [154, 161]
  ),
  'lend.cai': ask(
    '`asCudaArray`',
    'Both sides are Stridelab: no descriptor is needed, and the view uses {stream}.',
    [85]
  ),
  'event.producer': way('event', 'producer-stream', 'producer-stream')(
    'event',
    'An event is recorded on {stream}: it completes after all work submitted there so far.',
    [75, 154]
  ),
  'event.consumer': way('event', 'consumer-stream', 'consumer-stream')(
    'event',
    "An event is recorded on {stream}, after the consumer's work.",
    [73]
  ),
  'wait.consumer': way('wait', 'producer-stream', 'consumer-stream')(
    'waits for it',
    'On the device, {stream} waits for the event of {other}. The host does not wait.',
    [75, 154]
  ),
  'wait.producer': waitBack(
    'waits for it',
    "Back to the producer: {stream} waits for the event of {other}, so the next write follows the consumer's work.",
    [73, 75]
  ),
  'wait.producer.dlpack': waitBack(
    'waits for it',
    'Back to the producer: {stream} waits for the event of {other}. Stridelab adds this; DLPack does not require it.',
    [162]
  ),
  'host-wait': way('wait', 'producer-stream', 'host')(
    'waits for it',
    'The host waits until {stream} is done.',
    [72, 87, 153]
  ),
  'no-wait.nothing-pending': noWait(
    'No wait: no work is pending, so the consumer may start immediately.',
    [66, 81]
  ),
  'no-wait.empty': noWait('No wait: the array has no elements.', [55, 56]),
  'no-wait.same-stream': noWait(
    'No wait: both sides use the same stream, which runs its work in order.',
    [85]
  ),
  'no-wait.sync-false': noWait('No wait: `sync: false`. Nothing orders the read after the write.', [76]),
  'no-wait.variable': noWait(
    'No wait: `STRIDELAB_CAI_SYNC=0` disables synchronization of all imports.',
    [76, 77]
  ),
  'no-wait.adopt': noWait("No wait: the consumer works on the producer's stream.", [74]),
  'no-wait.host-waited': noWait('No stream waits: the host has waited, so the work is done.', [72]),
  'no-wait.minus-one': noWait(
    'No wait: -1 disables synchronization. Nothing orders the read after the write.',
    [151]
  ),
  'no-wait.deferred': note(
    'no wait yet',
    'No wait yet: this stream is permanent, so the wait comes when the array is first used.',
    [75, 93]
  ),
  'no-wait.ordered': noWait('No wait: the work has completed, or a wait for it is already queued.', [85]),
  'no-wait.implicit': noWait(
    'No wait is needed: the legacy and per-thread default streams synchronize implicitly.',
    [69, 70]
  ),
  'no-way-back': noWayBack(
    'no wait back',
    "Nothing makes the producer's next write wait for the consumer's work.",
    [73]
  ),
  'no-way-back.dlpack': noWayBack(
    'no wait back',
    "DLPack defines no synchronization back: the producer's next write may start before the read is done.",
    [162]
  ),
  capsule: answer(
    '`{name}`',
    'A capsule named `{name}` owns the tensor until one consumer takes it.',
    [143, 164]
  ),
  'capsule.yes': answer(
    '`{name}`',
    'A capsule named `{name}` owns a copy, which only the consumer uses.',
    [139, 150]
  ),
  consume: view(
    'consumes it',
    'The consumer takes the tensor and renames the capsule to `{name}`, so nobody can take it twice.',
    [165, 166]
  ),
  view: view(
    'view',
    'The consumer has an array over the same memory, which works on {stream} and keeps the owner alive.',
    [91, 161]
  ),
  'use.consumer': consumerWork('{access}', 'The consumer submits a {access} to {stream}.', [75, 161]),
  'use.producer': producerWork('{access}', 'The producer submits its next {access} to {stream}.', [73, 162]),
  'give-back': ask(
    '`release(event)`',
    "The consumer passes an event recorded after its work; the producer's next write waits for it.",
    [73]
  ),
  release: ask(
    'releases',
    'The consumer is done. The owner is released after the last device work that uses the memory.',
    [91, 96]
  ),
  'release.dlpack': ask(
    'deleter',
    'The consumer is done. The deleter runs once, after the last device work that uses the memory.',
    [163, 168]
  ),
  'to-python': answer(
    'to Python',
    'Python gets an object that implements the exchange protocols. The calls from Python follow.',
    [79, 141]
  ),
  read: ask(
    '`{name}`',
    'Python reads `{name}`: a snapshot. It may use the memory, or only check for the protocol, as `hasattr` does.'
  ),
  ready: answer(
    'ready',
    "NumPy's array interface (version {version}) has no stream: all work submitted so far is done."
  ),
  'ask-buffer': ask('buffer request', 'Python requests a buffer, as `bytes` and `memoryview` do: `{asks}`.'),
  buffer: answer(
    'buffer',
    'A buffer over the same memory, {access}, keeps the array alive until it is released. It has no stream: all work submitted so far is done.'
  ),
  'buffer-release': ask('releases it', 'The buffer is released. Its user may still hold the array.'),
  deleted: ask('deleter', 'The deleter of the tensor runs: the consumer is done with it.', [163, 168]),
  lost: way('note', 'host', 'host')('incomplete', 'Not all waits were recorded: some may be missing here.'),
  'failed.producer': way('failed', 'producer', 'producer')('refused', 'Refused: {message}'),
  'failed.consumer': way('failed', 'consumer', 'consumer')('refused', 'Refused: {message}')
};

/** Meaning of each value of a descriptor's `stream`, which libraries often get wrong. */
export const CAI_STREAMS: readonly StreamArgument[] = [
  {
    value: 'None',
    meaning: 'No work is pending: use the data on any stream without a wait.',
    trap: 'Below version 3, a missing stream guarantees nothing.',
    rules: [66, 81, 10]
  },
  {
    value: '0',
    meaning: 'Forbidden: ambiguous between None, 1 and 2.',
    trap: 'Numba exports it for its default stream; Numba and CuPy accept it.',
    rules: [67, 68]
  },
  {
    value: '1',
    meaning: 'The legacy default stream: wait for it.',
    trap: 'JAX treats 1 and 2 as no stream: a race.',
    rules: [69]
  },
  {
    value: '2',
    meaning: 'The per-thread default stream of the calling thread.',
    trap: 'Means a different stream in each thread.',
    rules: [70]
  },
  {
    value: 'handle',
    meaning: 'The address of a stream: wait for it, or work on it.',
    trap: 'Must outlive the array; CuPy names the current stream, not the one that wrote.',
    rules: [71, 79, 93]
  }
];

/** Meaning of each value of the `stream` argument of `__dlpack__`. */
export const DLPACK_STREAMS: readonly StreamArgument[] = [
  {
    value: 'None',
    meaning: 'CUDA: the consumer works on the legacy default stream. Host memory: ready on return.',
    trap: 'Not "no synchronization": that is -1. In PyTorch, omitting it means -1.',
    rules: [151, 153, 154]
  },
  {
    value: '-1',
    meaning: 'The producer must not synchronize: the consumer is responsible for ordering.',
    trap: 'No other value means this; values below -1 are errors.',
    rules: [151]
  },
  {
    value: '0',
    meaning: 'CUDA: forbidden, because ambiguous. ROCm: the default stream.',
    trap: 'CuPy and Warp accept it.',
    rules: [155, 152]
  },
  {
    value: '1',
    meaning: 'The legacy default stream of the consumer.',
    trap: 'Not allowed with ROCm.',
    rules: [151, 152]
  },
  {
    value: '2',
    meaning: "The consumer's per-thread default stream.",
    trap: 'PyTorch rejects it; not allowed with ROCm.',
    rules: [156, 152]
  },
  {
    value: 'handle',
    meaning: "The consumer's stream: the producer makes it wait.",
    trap: 'The stream that will read the data, not the one that wrote them.',
    rules: [161, 154]
  }
];

export const LANES: Readonly<Record<Lane, string>> = {
  producer: 'producer',
  'producer-stream': "producer's stream",
  'consumer-stream': "consumer's stream",
  consumer: 'consumer',
  host: 'host thread'
};

/** Expected outcome of a run without the wait. */
export const RUNS = {
  simulated:
    'Runs the exchange of the lesson in a separate process, with and without the wait. There the simulated device works as late as possible (the hazard schedule), so a missing wait causes wrong data.',
  gpu: 'Runs the exchange of the lesson on the GPU in a separate process, with and without the wait. The GPU may finish before the data are read: then they are right by luck. The hazard report does not depend on timing.'
} as const;
