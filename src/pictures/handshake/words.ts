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
    "The producer's last %1, on %2, is known to be done.",
    [81],
    'access',
    'stream'
  ],
  'work.yes': [
    'work',
    'producer',
    'producer-stream',
    '%1',
    'The producer submits a %1 to %2. The call returns at once, the device works later.',
    [79, 154],
    'access',
    'stream'
  ],
  'ask-interface': [
    ...ASK,
    '`__cuda_array_interface__`',
    'The consumer reads `__cuda_array_interface__`: a snapshot, to be read anew after further work.',
    [83]
  ],
  join: [
    'wait',
    'producer-stream',
    'producer-stream',
    'waits for %2',
    'One name has to cover all pending work: %1 is made to wait for %2.',
    [80],
    'stream',
    'other'
  ],
  'join.per-thread': [
    'wait',
    'producer-stream',
    'producer-stream',
    'legacy waits for it',
    'The %1 is made to wait for the %2, because 2 would name another stream in another thread.',
    [70],
    'stream',
    'other'
  ],
  'join.version': [
    'wait',
    'producer-stream',
    'producer-stream',
    'legacy waits for it',
    'The %1 is made to wait for %2, for a version below 3 cannot name a stream.',
    [10],
    'stream',
    'other'
  ],
  'join.unread': [
    'wait',
    'producer-stream',
    'producer-stream',
    'legacy waits too',
    'The %1 is made to wait for %2, where consumers work that read no `stream` of a descriptor.',
    [10],
    'stream',
    'other'
  ],
  descriptor: [
    ...ANSWER,
    '`stream: %1`',
    'The descriptor says `stream: %1`, %2: what is ordered after it sees the data.',
    [69, 71, 79],
    'stream',
    'names'
  ],
  'descriptor.yes': [
    ...ANSWER,
    '`stream: %1, event`',
    'The descriptor says `stream: %1`, %2, and has an event that can be waited for instead.',
    [71],
    'stream',
    'names'
  ],
  'descriptor.none': [
    ...ANSWER,
    '`stream: %1`',
    'The descriptor, of version %2, says `stream: %1`: nothing to wait for.',
    [66, 81, 10],
    'stream',
    'version'
  ],
  'ask-device': [
    ...ASK,
    '`__dlpack_device__()`',
    'The consumer asks where the data are, before it asks for them.',
    [141]
  ],
  device: [
    ...ANSWER,
    '`%1`',
    '`%1` is %2. Neither the data nor a stream was touched.',
    [132, 141],
    'pair',
    'name'
  ],
  'ask-capsule': [
    ...ASK,
    '`__dlpack__(stream=%1)`',
    '`__dlpack__(stream=%1, %3)`: the consumer passes the stream on which it will read, %2.',
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
    '`__dlpack__(stream=%1, %2)`: host memory has no stream, the data are to be ready on return.',
    [153],
    'stream',
    'options'
  ],
  table: [
    ...ANSWER,
    'exchange table',
    'Native code hands the tensor over by the exchange table, which makes nobody wait.',
    [173, 176]
  ],
  tensor: [
    ...ANSWER,
    'tensor',
    'Python hands a tensor over, by the exchange table of its class or by `__dlpack__(stream=%1)`: %2.',
    [154, 176],
    'stream',
    'names'
  ],
  'tensor.none': [...ANSWER, 'tensor', 'Python hands a tensor over in host memory, which is ready.', [153]],
  lend: [
    ...ASK,
    '`fromDlpack`',
    'Both sides are this library: no capsule is needed, the view is made for %1.',
    [154, 161],
    'stream'
  ],
  'lend.cai': [
    ...ASK,
    '`asCudaArray`',
    'Both sides are this library: no descriptor is needed, the view is made for %1.',
    [85],
    'stream'
  ],
  'event.producer': [
    'event',
    'producer-stream',
    'producer-stream',
    'event',
    'An event is recorded at the tail of %1: it comes when all work there so far is done.',
    [75, 154],
    'stream'
  ],
  'event.consumer': [
    'event',
    'consumer-stream',
    'consumer-stream',
    'event',
    "An event is recorded at the tail of %1, behind the consumer's work.",
    [73],
    'stream'
  ],
  'wait.consumer': [
    'wait',
    'producer-stream',
    'consumer-stream',
    'waits for it',
    'On the device, %1 waits for the event of %2. The host goes on.',
    [75, 154],
    'stream',
    'other'
  ],
  'wait.producer': [
    'wait',
    'consumer-stream',
    'producer-stream',
    'waits for it',
    "The way back: %1 waits for the event of %2, so that the next write comes after the consumer's work.",
    [73, 75],
    'stream',
    'other'
  ],
  'wait.producer.dlpack': [
    'wait',
    'consumer-stream',
    'producer-stream',
    'waits for it',
    'The way back: %1 waits for the event of %2. DLPack does not ask for it, this library does it all the same.',
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
    'No wait: nothing is pending, the consumer may start at once.',
    [66, 81]
  ],
  'no-wait.empty': [...NO_WAIT, 'No wait: the array has no elements.', [55, 56]],
  'no-wait.same-stream': [
    ...NO_WAIT,
    'No wait: both sides work on the same stream, which keeps its own order.',
    [85]
  ],
  'no-wait.sync-false': [
    ...NO_WAIT,
    'No wait: `sync: false`. Nothing orders the read after the write any more.',
    [76]
  ],
  'no-wait.variable': [
    ...NO_WAIT,
    'No wait: `STRIDELAB_CAI_SYNC=0` switches it off for every import.',
    [76, 77]
  ],
  'no-wait.adopt': [...NO_WAIT, "No wait: the consumer takes the producer's stream for its own.", [74]],
  'no-wait.host-waited': [...NO_WAIT, 'No wait of a stream: the host has waited, so the work is done.', [72]],
  'no-wait.minus-one': [
    ...NO_WAIT,
    'No wait: -1 forbids it. Nothing orders the read after the write any more.',
    [151]
  ],
  'no-wait.deferred': [
    'note',
    'consumer-stream',
    'consumer-stream',
    'no wait yet',
    'No wait yet: this stream stays, so it is waited for when the array is first used.',
    [75, 93]
  ],
  'no-wait.ordered': [...NO_WAIT, 'No wait: the work is known to be done, or is waited for already.', [85]],
  'no-wait.implicit': [
    ...NO_WAIT,
    'No wait is needed: the legacy and the per-thread default stream wait for each other by themselves.',
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
    "DLPack says nothing of the way back: the producer's next write may come before the read is done.",
    [162]
  ],
  capsule: [
    ...ANSWER,
    '`%1`',
    'A capsule named `%1`: it owns the tensor until its one consumer takes it.',
    [143, 164],
    'name'
  ],
  'capsule.yes': [
    ...ANSWER,
    '`%1`',
    "A capsule named `%1` over a copy, which is the consumer's alone.",
    [139, 150],
    'name'
  ],
  consume: [
    'note',
    'consumer',
    'consumer',
    'takes it',
    'The consumer takes the tensor, once: the capsule is called `%1` from now on.',
    [165, 166],
    'name'
  ],
  view: [
    ...VIEW,
    'The consumer has an array over the same bytes, whose work goes to %1. It keeps the owner.',
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
    "The consumer hands over an event behind its work: the producer's next write waits for that.",
    [73]
  ],
  release: [
    ...ASK,
    'lets go',
    'The consumer is done. The owner is let go after the last device work that uses the memory.',
    [91, 96]
  ],
  'release.dlpack': [
    ...ASK,
    'deleter',
    'The consumer is done. The deleter runs, once, after the last device work that uses the memory.',
    [163, 168]
  ],
  'to-python': [
    ...ANSWER,
    'to Python',
    'Python gets an object with the protocols of its memory. What is asked of it follows.',
    [79, 141]
  ],
  read: [
    ...ASK,
    '`%1`',
    'Python reads `%1`: a snapshot. It may take the memory, or only look whether it could, as `hasattr` does.',
    [],
    'name'
  ],
  ready: [
    ...ANSWER,
    'ready',
    "NumPy's interface, of version %1, has no stream: what was submitted so far is done.",
    [],
    'version'
  ],
  'ask-buffer': [
    ...ASK,
    'buffer?',
    'Python asks for a buffer, by the protocol of `bytes` and `memoryview`: `%1`.',
    [],
    'asks'
  ],
  buffer: [
    ...ANSWER,
    'buffer',
    'A buffer over the same bytes, %1, keeps the array until it is released. It has no stream: what was submitted so far is done.',
    [],
    'access'
  ],
  'buffer-release': [
    ...ASK,
    'releases it',
    'The buffer is released. Who had it may keep the array all the same.',
    []
  ],
  deleted: [...ASK, 'deleter', 'The deleter of the tensor runs: the consumer is done with it.', [163, 168]],
  lost: [
    'note',
    'host',
    'host',
    'not kept',
    'More waits happened than were kept: some may be missing here.',
    []
  ],
  'failed.producer': ['failed', 'producer', 'producer', 'refused', 'Refused: %1', [], 'message'],
  'failed.consumer': ['failed', 'consumer', 'consumer', 'refused', 'Refused: %1', [], 'message']
};

/** What each value of a stream argument means, which is what libraries get wrong: the `stream` of a descriptor. */
export const CAI_STREAMS: readonly StreamArgument[] = [
  {
    value: 'None',
    meaning: 'Nothing is pending: use the data on any stream, at once.',
    trap: 'Below version 3 a missing stream promises nothing.',
    rules: [66, 81, 10]
  },
  {
    value: '0',
    meaning: 'Forbidden: it could be None, 1 or 2.',
    trap: 'Numba exports it for its default stream; Numba and CuPy accept it.',
    rules: [67, 68]
  },
  {
    value: '1',
    meaning: 'The legacy default stream: wait for it.',
    trap: 'JAX takes 1 and 2 for no stream: a race.',
    rules: [69]
  },
  {
    value: '2',
    meaning: 'The per-thread default stream of the thread that makes the call.',
    trap: 'Names another stream in another thread.',
    rules: [70]
  },
  {
    value: 'handle',
    meaning: 'The address of a stream: wait for it, or work on it.',
    trap: 'Must outlive the array; CuPy names the current stream, not the one that wrote.',
    rules: [71, 79, 93]
  }
];

/** The same of `__dlpack__`. */
export const DLPACK_STREAMS: readonly StreamArgument[] = [
  {
    value: 'None',
    meaning: 'CUDA: the consumer works on the legacy default stream. Host memory: ready on return.',
    trap: 'Not "no synchronization": that is -1. In PyTorch a call without it means -1.',
    rules: [151, 153, 154]
  },
  {
    value: '-1',
    meaning: 'The producer must not make anything wait: the consumer answers for the order.',
    trap: 'The only way to say it; below -1 is an error.',
    rules: [151]
  },
  {
    value: '0',
    meaning: 'Forbidden with CUDA: ambiguous. With ROCm the default stream.',
    trap: 'CuPy and Warp accept it.',
    rules: [155, 152]
  },
  {
    value: '1',
    meaning: 'The legacy default stream of the consumer.',
    trap: 'Not a stream with ROCm.',
    rules: [151, 152]
  },
  {
    value: '2',
    meaning: "The consumer's per-thread default stream.",
    trap: 'PyTorch refuses it; not a stream with ROCm.',
    rules: [156, 152]
  },
  {
    value: 'handle',
    meaning: "The consumer's own stream: the producer makes it wait.",
    trap: 'It is the stream the data will be read on, not the one they were written on.',
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
    'Runs the exchange of the lesson twice, with the wait and without it, in a short process of its own. The simulated device works as late as it may there (the hazard schedule), so that a missing wait shows as wrong data.',
  gpu: 'Runs the exchange of the lesson twice on the GPU, with the wait and without it, in a short process of its own. A GPU may be done before it is asked: then the data are right by luck. The hazard report does not depend on luck.'
} as const;
