/** What each value of a stream argument means, which is what libraries get wrong. Rules 66 to 71 and 151 to 156. Pure. */

export interface StreamArgument {
  readonly value: string;
  readonly meaning: string;
  readonly trap: string;
  readonly rules: readonly number[];
}

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
