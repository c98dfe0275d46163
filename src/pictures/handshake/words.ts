/**
 * What each kind of fact is in words: between which lifelines, a few words for the chart, a sentence, the rules behind it. Rules 66 to
 * 106 are the CUDA Array Interface's, 107 to 190 DLPack's. Goes to the page with each picture, which knows no sentences itself.
 */

import type { Lane, StepWords, StreamArgument } from './schema.ts';

const ASK = ['call', 'consumer', 'producer'] as const;
const ANSWER = ['answer', 'producer', 'consumer'] as const;
const NO_WAIT = ['note', 'consumer-stream', 'consumer-stream', 'no wait'] as const;
const VIEW = ['note', 'consumer', 'consumer', 'view'] as const;

/** By `kind.form.protocol`, `kind.protocol`, `kind.form` or `kind`. `%1` is the first of the fields that are named. */
export const STEP_WORDS: Readonly<Record<string, StepWords>> = {
  work: [
    'work',
    'producer',
    'producer-stream',
    '%1',
    "The producer's last %1 on %2 has completed.",
    [81],
    'access',
    'stream'
  ],
  'work.yes': [
    'work',
    'producer',
    'producer-stream',
    '%1',
    'The producer submits a %1 to %2. The call returns immediately; the device runs it later.',
    [79, 154],
    'access',
    'stream'
  ],
  'ask-interface': [
    ...ASK,
    '`__cuda_array_interface__`',
    'The consumer reads `__cuda_array_interface__`: a snapshot, to be read again after further work.',
    [83]
  ],
  join: [
    'wait',
    'producer-stream',
    'producer-stream',
    'waits for %2',
    'The descriptor names one stream for all pending work, so %1 waits for %2.',
    [80],
    'stream',
    'other'
  ],
  'join.per-thread': [
    'wait',
    'producer-stream',
    'producer-stream',
    'legacy waits for it',
    'The %1 waits for the %2, because 2 means a different stream in each thread.',
    [70],
    'stream',
    'other'
  ],
  'join.version': [
    'wait',
    'producer-stream',
    'producer-stream',
    'legacy waits for it',
    'The %1 waits for %2, because versions below 3 have no stream.',
    [10],
    'stream',
    'other'
  ],
  'join.unread': [
    'wait',
    'producer-stream',
    'producer-stream',
    'legacy waits too',
    'The %1 waits for %2, for consumers that ignore the `stream` of a descriptor.',
    [10],
    'stream',
    'other'
  ],
  descriptor: [
    ...ANSWER,
    '`stream: %1`',
    'The descriptor contains `stream: %1`, %2: work ordered after it sees the data.',
    [69, 71, 79],
    'stream',
    'names'
  ],
  'descriptor.yes': [
    ...ANSWER,
    '`stream: %1, event`',
    'The descriptor contains `stream: %1`, %2, and an event to wait for instead.',
    [71],
    'stream',
    'names'
  ],
  'descriptor.none': [
    ...ANSWER,
    '`stream: %1`',
    'The descriptor (version %2) contains `stream: %1`: nothing to wait for.',
    [66, 81, 10],
    'stream',
    'version'
  ],
  'ask-device': [
    ...ASK,
    '`__dlpack_device__()`',
    'The consumer asks for the device of the data first.',
    [141]
  ],
  device: [
    ...ANSWER,
    '`%1`',
    '`%1` is %2. The call touches neither data nor streams.',
    [132, 141],
    'pair',
    'name'
  ],
  'ask-capsule': [
    ...ASK,
    '`__dlpack__(stream=%1)`',
    '`__dlpack__(stream=%1, %3)`: the consumer passes the stream that it will read on, %2.',
    [151, 161],
    'stream',
    'names',
    'options'
  ],
  'ask-capsule.-1': [
    ...ASK,
    '`__dlpack__(stream=-1)`',
    '`__dlpack__(stream=-1, %1)`: the consumer asks for no synchronization.',
    [151],
    'options'
  ],
  'ask-capsule.none': [
    ...ASK,
    '`__dlpack__(stream=%1)`',
    '`__dlpack__(stream=%1, %2)`: host memory has no stream, so the data must be ready on return.',
    [153],
    'stream',
    'options'
  ],
  table: [
    ...ANSWER,
    'exchange table',
    'Native code exports the tensor through the exchange table, without synchronization.',
    [173, 176]
  ],
  tensor: [
    ...ANSWER,
    'tensor',
    'Python exports a tensor, through the exchange table of its class or `__dlpack__(stream=%1)`: %2.',
    [154, 176],
    'stream',
    'names'
  ],
  'tensor.none': [...ANSWER, 'tensor', 'Python exports a tensor in host memory, which is ready.', [153]],
  lend: [
    ...ASK,
    '`fromDlpack`',
    'Both sides are Stridelab: no capsule is needed, and the view uses %1.',
    [154, 161],
    'stream'
  ],
  'lend.cai': [
    ...ASK,
    '`asCudaArray`',
    'Both sides are Stridelab: no descriptor is needed, and the view uses %1.',
    [85],
    'stream'
  ],
  'event.producer': [
    'event',
    'producer-stream',
    'producer-stream',
    'event',
    'An event is recorded on %1: it completes after all work submitted there so far.',
    [75, 154],
    'stream'
  ],
  'event.consumer': [
    'event',
    'consumer-stream',
    'consumer-stream',
    'event',
    "An event is recorded on %1, after the consumer's work.",
    [73],
    'stream'
  ],
  'wait.consumer': [
    'wait',
    'producer-stream',
    'consumer-stream',
    'waits for it',
    'On the device, %1 waits for the event of %2. The host does not wait.',
    [75, 154],
    'stream',
    'other'
  ],
  'wait.producer': [
    'wait',
    'consumer-stream',
    'producer-stream',
    'waits for it',
    "Back to the producer: %1 waits for the event of %2, so the next write follows the consumer's work.",
    [73, 75],
    'stream',
    'other'
  ],
  'wait.producer.dlpack': [
    'wait',
    'consumer-stream',
    'producer-stream',
    'waits for it',
    'Back to the producer: %1 waits for the event of %2. Stridelab adds this; DLPack does not require it.',
    [162],
    'stream',
    'other'
  ],
  'host-wait': [
    'wait',
    'producer-stream',
    'host',
    'waits for it',
    'The host waits until %1 is done.',
    [72, 87, 153],
    'stream'
  ],
  'no-wait.nothing-pending': [
    ...NO_WAIT,
    'No wait: no work is pending, so the consumer may start immediately.',
    [66, 81]
  ],
  'no-wait.empty': [...NO_WAIT, 'No wait: the array has no elements.', [55, 56]],
  'no-wait.same-stream': [
    ...NO_WAIT,
    'No wait: both sides use the same stream, which runs its work in order.',
    [85]
  ],
  'no-wait.sync-false': [
    ...NO_WAIT,
    'No wait: `sync: false`. Nothing orders the read after the write.',
    [76]
  ],
  'no-wait.variable': [
    ...NO_WAIT,
    'No wait: `STRIDELAB_CAI_SYNC=0` disables synchronization of all imports.',
    [76, 77]
  ],
  'no-wait.adopt': [...NO_WAIT, "No wait: the consumer works on the producer's stream.", [74]],
  'no-wait.host-waited': [...NO_WAIT, 'No stream waits: the host has waited, so the work is done.', [72]],
  'no-wait.minus-one': [
    ...NO_WAIT,
    'No wait: -1 disables synchronization. Nothing orders the read after the write.',
    [151]
  ],
  'no-wait.deferred': [
    'note',
    'consumer-stream',
    'consumer-stream',
    'no wait yet',
    'No wait yet: this stream is permanent, so the wait comes when the array is first used.',
    [75, 93]
  ],
  'no-wait.ordered': [
    ...NO_WAIT,
    'No wait: the work has completed, or a wait for it is already queued.',
    [85]
  ],
  'no-wait.implicit': [
    ...NO_WAIT,
    'No wait is needed: the legacy and per-thread default streams synchronize implicitly.',
    [69, 70]
  ],
  'no-way-back': [
    'note',
    'producer-stream',
    'producer-stream',
    'no wait back',
    "Nothing makes the producer's next write wait for the consumer's work.",
    [73]
  ],
  'no-way-back.dlpack': [
    'note',
    'producer-stream',
    'producer-stream',
    'no wait back',
    "DLPack defines no synchronization back: the producer's next write may start before the read is done.",
    [162]
  ],
  capsule: [
    ...ANSWER,
    '`%1`',
    'A capsule named `%1` owns the tensor until one consumer takes it.',
    [143, 164],
    'name'
  ],
  'capsule.yes': [
    ...ANSWER,
    '`%1`',
    'A capsule named `%1` owns a copy, which only the consumer uses.',
    [139, 150],
    'name'
  ],
  consume: [
    'note',
    'consumer',
    'consumer',
    'consumes it',
    'The consumer takes the tensor and renames the capsule to `%1`, so nobody can take it twice.',
    [165, 166],
    'name'
  ],
  view: [
    ...VIEW,
    'The consumer has an array over the same memory, which works on %1 and keeps the owner alive.',
    [91, 161],
    'stream'
  ],
  'use.consumer': [
    'work',
    'consumer',
    'consumer-stream',
    '%1',
    'The consumer submits a %1 to %2.',
    [75, 161],
    'access',
    'stream'
  ],
  'use.producer': [
    'work',
    'producer',
    'producer-stream',
    '%1',
    'The producer submits its next %1 to %2.',
    [73, 162],
    'access',
    'stream'
  ],
  'give-back': [
    ...ASK,
    '`release(event)`',
    "The consumer passes an event recorded after its work; the producer's next write waits for it.",
    [73]
  ],
  release: [
    ...ASK,
    'releases',
    'The consumer is done. The owner is released after the last device work that uses the memory.',
    [91, 96]
  ],
  'release.dlpack': [
    ...ASK,
    'deleter',
    'The consumer is done. The deleter runs once, after the last device work that uses the memory.',
    [163, 168]
  ],
  'to-python': [
    ...ANSWER,
    'to Python',
    'Python gets an object that implements the exchange protocols. The calls from Python follow.',
    [79, 141]
  ],
  read: [
    ...ASK,
    '`%1`',
    'Python reads `%1`: a snapshot. It may use the memory, or only check for the protocol, as `hasattr` does.',
    [],
    'name'
  ],
  ready: [
    ...ANSWER,
    'ready',
    "NumPy's array interface (version %1) has no stream: all work submitted so far is done.",
    [],
    'version'
  ],
  'ask-buffer': [
    ...ASK,
    'buffer?',
    'Python requests a buffer, as `bytes` and `memoryview` do: `%1`.',
    [],
    'asks'
  ],
  buffer: [
    ...ANSWER,
    'buffer',
    'A buffer over the same memory, %1, keeps the array alive until it is released. It has no stream: all work submitted so far is done.',
    [],
    'access'
  ],
  'buffer-release': [...ASK, 'releases it', 'The buffer is released. Its user may still hold the array.', []],
  deleted: [...ASK, 'deleter', 'The deleter of the tensor runs: the consumer is done with it.', [163, 168]],
  lost: ['note', 'host', 'host', 'incomplete', 'Not all waits were recorded: some may be missing here.', []],
  'failed.producer': ['failed', 'producer', 'producer', 'refused', 'Refused: %1', [], 'message'],
  'failed.consumer': ['failed', 'consumer', 'consumer', 'refused', 'Refused: %1', [], 'message']
};

/** What each value of a stream argument means, which is what libraries get wrong: the `stream` of a descriptor. */
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

/** What each value means as the `stream` argument of `__dlpack__`. */
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

/** What to expect of a run in which the wait is left out. */
export const RUNS = {
  simulated:
    'Runs the exchange of the lesson in a separate process, with and without the wait. There the simulated device works as late as possible (the hazard schedule), so a missing wait causes wrong data.',
  gpu: 'Runs the exchange of the lesson on the GPU in a separate process, with and without the wait. The GPU may finish before the data are read: then they are right by luck. The hazard report does not depend on timing.'
} as const;
