/**
 * Facts as steps of a sequence chart: between which lifelines, in which words, by which rule. Rules 66 to 106 are the CUDA Array
 * Interface's, 107 to 190 DLPack's. Pure; shared by the page and the static picture.
 */

import type { Fact, Lane, NoWait, Protocol } from './schema.ts';

/** A text in which `%1`, `%2` stand for the values: what a translator takes. `Backticks` enclose code. */
export type Says = readonly [text: string, ...values: string[]];

/** How it is drawn: an arrow of a call or its answer, device work, an event, a wait, or a note beside a lifeline. */
export type Mark = 'call' | 'answer' | 'work' | 'event' | 'wait' | 'note' | 'failed';

export interface Step {
  readonly mark: Mark;
  readonly from: Lane;
  /** The same as `from` for what happens in one place. */
  readonly to: Lane;
  /** A few words for the chart. */
  readonly label: Says;
  /** A sentence. */
  readonly says: Says;
  readonly rules: readonly number[];
}

const NO_WAIT: Readonly<Record<NoWait, readonly [sentence: string, ...rules: number[]]>> = {
  'nothing-pending': ['No wait: nothing is pending, the consumer may start at once.', 66, 81],
  empty: ['No wait: the array has no elements.', 55, 56],
  'same-stream': ['No wait: both sides work on the same stream, which keeps its own order.', 85],
  'sync-false': ['No wait: `sync: false`. Nothing orders the read after the write any more.', 76],
  variable: ['No wait: `STRIDELAB_CAI_SYNC=0` switches it off for every import.', 76, 77],
  adopt: ["No wait: the consumer takes the producer's stream for its own.", 74],
  'host-waited': ['No wait of a stream: the host has waited, so the work is done.', 72],
  'minus-one': ['No wait: -1 forbids it. Nothing orders the read after the write any more.', 151],
  deferred: ['No wait yet: the stream stays, so it is waited for when the array is first used.', 75, 93],
  ordered: ['No wait: the work is known to be done, or is waited for already.', 85],
  implicit: [
    'No wait: the legacy and the per-thread default stream wait for each other by themselves.',
    69,
    70
  ],
  'not-asked': ['No wait: whoever handed the array over told of no stream.', 160, 176]
};

const CALL = { mark: 'call', from: 'consumer', to: 'producer' } as const;
const ANSWER = { mark: 'answer', from: 'producer', to: 'consumer' } as const;

/** The step of one fact. @throws TypeError for a kind that a newer version may know */
export function stepOf(fact: Fact, protocol: Protocol): Step {
  const dlpack = protocol === 'dlpack';
  switch (fact.kind) {
    case 'work':
      return {
        mark: 'work',
        from: 'producer',
        to: 'producer-stream',
        label: [fact.access === 'write' ? 'write' : 'read'],
        says: [
          fact.pending
            ? 'The producer submits a %1 to %2. The call returns at once, the device works later.'
            : "The producer's last %1, on %2, is known to be done.",
          fact.access,
          fact.stream
        ],
        rules: dlpack ? [154] : fact.pending ? [79] : [81]
      };
    case 'ask-interface':
      return {
        ...CALL,
        label: ['`__cuda_array_interface__`'],
        says: [
          'The consumer reads `__cuda_array_interface__`: a snapshot, to be read anew after further work.'
        ],
        rules: [83]
      };
    case 'join':
      return {
        mark: 'wait',
        from: 'producer-stream',
        to: 'producer-stream',
        label: ['waits for %1', fact.other],
        says: [JOINS[fact.why][0], fact.stream, fact.other],
        rules: [JOINS[fact.why][1]]
      };
    case 'descriptor':
      return {
        ...ANSWER,
        label: ['`stream: %1`', short(fact.stream)],
        says:
          fact.names === null
            ? [
                'The descriptor, version %1, says `stream: %2`: nothing to wait for.',
                String(fact.version),
                fact.stream
              ]
            : fact.event
              ? [
                  'The descriptor names %1 (`stream: %2`) and carries an event of its own.',
                  fact.names,
                  fact.stream
                ]
              : [
                  'The descriptor names %1 (`stream: %2`): what is ordered after it sees the data.',
                  fact.names,
                  fact.stream
                ],
        rules: fact.names === null ? (fact.version < 3 ? [10] : [66]) : fact.stream === '1' ? [69] : [71]
      };
    case 'ask-device':
      return {
        ...CALL,
        label: ['`__dlpack_device__()`'],
        says: ['The consumer asks where the data are, before it asks for them.'],
        rules: [141]
      };
    case 'device':
      return {
        ...ANSWER,
        label: ['`%1`', fact.pair],
        says: ['`%1`: %2. Neither the data nor a stream was touched.', fact.pair, fact.name],
        rules: [132, 141]
      };
    case 'ask-capsule':
      return {
        ...CALL,
        label: ['`__dlpack__(stream=%1)`', short(fact.stream)],
        says: [
          fact.stream === '-1'
            ? '`__dlpack__(stream=%1%2)`: the consumer asks for no synchronization.'
            : fact.names === null
              ? '`__dlpack__(stream=%1%2)`: host memory has no stream, the data are to be ready on return.'
              : '`__dlpack__(stream=%1%2)`: the consumer passes its own stream, %3, where it will read.',
          fact.stream,
          fact.options === '' ? '' : `, ${fact.options}`,
          fact.names ?? ''
        ],
        rules: fact.stream === '-1' ? [151] : fact.names === null ? [153] : [151, 161]
      };
    case 'table':
      return {
        ...ANSWER,
        label: ['exchange table'],
        says: ['Native code hands the tensor over by the exchange table, which makes nobody wait.'],
        rules: [173, 176]
      };
    case 'tensor':
      return {
        ...ANSWER,
        label: ['tensor'],
        says:
          fact.names === null
            ? ['Python hands a tensor in host memory over, which is ready.']
            : [
                'Python hands the tensor over, by the exchange table of its class or by `__dlpack__(stream=%1)`: %2.',
                fact.stream,
                fact.names
              ],
        rules: fact.names === null ? [153] : [154, 176]
      };
    case 'lend':
      return {
        ...CALL,
        label: ['`fromDlpack(…)`'],
        says: ['Both sides are this library: no capsule is needed, the view is made for %1.', fact.stream],
        rules: [154, 161]
      };
    case 'event': {
      const lane = laneOf(fact.side);
      return {
        mark: 'event',
        from: lane,
        to: lane,
        label: ['event'],
        says: [
          'An event is recorded at the tail of %1: it comes when all work there so far is done.',
          fact.stream
        ],
        rules: fact.side === 'consumer' ? [73] : dlpack ? [154] : [75]
      };
    }
    case 'wait':
      return {
        mark: 'wait',
        from: laneOf(fact.side === 'consumer' ? 'producer' : 'consumer'),
        to: laneOf(fact.side),
        label: ['waits for it'],
        says: [
          fact.side === 'consumer'
            ? '%1 waits for the event of %2, on the device. The host goes on.'
            : "The way back: %1 waits for the event of %2, so that the next write comes after the consumer's work.",
          fact.stream,
          fact.other
        ],
        rules: fact.side === 'producer' ? (dlpack ? [162] : [73, 75]) : dlpack ? [154] : [75]
      };
    case 'host-wait':
      return {
        mark: 'wait',
        from: 'producer-stream',
        to: 'host',
        label: ['host waits'],
        says: ['The host waits until %1 is done.', fact.stream],
        rules: dlpack ? [153] : [72, 87]
      };
    case 'no-wait': {
      const [sentence, ...rules] = NO_WAIT[fact.reason];
      return {
        mark: 'note',
        from: 'consumer-stream',
        to: 'consumer-stream',
        label: ['no wait'],
        says: [sentence],
        rules
      };
    }
    case 'no-way-back':
      return {
        mark: 'note',
        from: 'producer-stream',
        to: 'producer-stream',
        label: ['no wait back'],
        says: [
          dlpack
            ? "DLPack says nothing of the way back: the producer's next write may come before the read is done."
            : "Nothing makes the producer's next write wait for the consumer's work."
        ],
        rules: dlpack ? [162] : [73]
      };
    case 'capsule':
      return {
        ...ANSWER,
        label: ['capsule `%1`', fact.name],
        says: [
          fact.copied
            ? 'A capsule named `%1` over a copy, which is the consumer’s alone.'
            : 'A capsule named `%1`: it owns the tensor until its one consumer takes it.',
          fact.name
        ],
        rules: fact.copied ? [139, 150] : [143, 164]
      };
    case 'consume':
      return {
        mark: 'note',
        from: 'consumer',
        to: 'consumer',
        label: ['takes the tensor'],
        says: ['The consumer takes the tensor, once: the capsule is `%1` from now on.', fact.name],
        rules: [165, 166]
      };
    case 'view':
      return {
        mark: 'note',
        from: 'consumer',
        to: 'consumer',
        label: ['view'],
        says: ['The consumer has an array over the same bytes, whose work goes to %1.', fact.stream],
        rules: dlpack ? [161] : [75, 91]
      };
    case 'use':
      return {
        mark: 'work',
        from: fact.side,
        to: laneOf(fact.side),
        label: [fact.access === 'write' ? 'write' : 'read'],
        says: [
          fact.side === 'consumer'
            ? 'The consumer submits a %1 to %2.'
            : 'The producer submits its next %1 to %2.',
          fact.access,
          fact.stream
        ],
        rules: fact.side === 'consumer' ? (dlpack ? [161] : [75]) : dlpack ? [162] : [73]
      };
    case 'give-back':
      return {
        ...CALL,
        mark: 'call',
        label: ['`release(event)`'],
        says: ["The consumer hands over an event behind its work: the producer's next write waits for that."],
        rules: [73]
      };
    case 'release':
      return {
        ...CALL,
        label: dlpack ? ['deleter'] : ['lets go'],
        says: [
          dlpack
            ? 'The consumer is done: the deleter runs, once, after the last device work that uses the memory.'
            : 'The consumer is done: it lets go of the owner, after the last device work that uses the memory.'
        ],
        rules: dlpack ? [163, 168] : [91, 96]
      };
    case 'to-python':
      return {
        ...ANSWER,
        label: ['to Python'],
        says: [
          'Python gets an object with both protocols over the same bytes; what its libraries ask is answered natively and not seen here.'
        ],
        rules: [79, 141]
      };
    case 'lost':
      return {
        mark: 'note',
        from: 'host',
        to: 'host',
        label: ['not kept'],
        says: ['More waits happened than were kept: some may be missing here.'],
        rules: []
      };
    case 'failed':
      return {
        mark: 'failed',
        from: fact.side,
        to: fact.side,
        label: ['refused'],
        says: ['Refused: %1', fact.message],
        rules: []
      };
    default:
      throw new TypeError(`no step is known of ${(fact as { readonly kind: string }).kind}`);
  }
}

const JOINS: Readonly<Record<'several' | 'per-thread' | 'version', readonly [string, number]>> = {
  several: ['%1 is made to wait for %2 too: one name then covers all pending work.', 80],
  'per-thread': ['%1 is made to wait for %2, because 2 would name another stream in another thread.', 70],
  version: ['%1 is made to wait for %2: versions below 3 cannot name a stream.', 10]
};

/** A handle is long, and the chart is not. */
function short(stream: string): string {
  return stream.length > 10 ? `${stream.slice(0, 4)}…${stream.slice(-4)}` : stream;
}

function laneOf(side: 'producer' | 'consumer'): Lane {
  return side === 'producer' ? 'producer-stream' : 'consumer-stream';
}

/** The text with its values, for whoever has no translator. */
export function plainText([text, ...values]: Says): string {
  return text.replace(/%(\d)/g, (found, digit) => values[Number(digit) - 1] ?? found);
}
