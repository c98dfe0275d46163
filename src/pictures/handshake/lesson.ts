/** The steps of an exchange according to the protocols, for chosen streams: what a recorder would record. Pure. */

import type { Fact, FactContent } from '../../recording/exchanges/facts.ts';
import type { LessonChoice, LessonStream } from './schema.ts';

const OWN_ADDRESS = '0x55d0c0de';

interface Place {
  readonly name: string;
  /** The stream as the protocols write it. */
  readonly written: string;
  readonly kind: Exclude<LessonStream, 'null'>;
}

function place(stream: LessonStream, own: string): Place {
  if (stream === 'own') return { name: own, written: OWN_ADDRESS, kind: stream };
  if (stream === 'per-thread') return { name: 'per-thread default stream', written: '2', kind: stream };
  return { name: 'legacy default stream', written: '1', kind: 'legacy' };
}

export function lessonFacts(choice: LessonChoice): Fact[] {
  const contents = choice.protocol === 'cai' ? interfaceLesson(choice) : dlpackLesson(choice);
  return contents.map(content => ({ ...content, time: null }));
}

/** Returns the ordering of the export: an event and a wait, or why there is none. */
function forward(from: Place, to: Place, { sync, protocol, producerStream }: LessonChoice): FactContent[] {
  if (producerStream === 'null') return [{ kind: 'no-wait', reason: 'nothing-pending' }];
  if (from.kind === to.kind && from.kind !== 'own') return [{ kind: 'no-wait', reason: 'same-stream' }];
  if (!sync && from.kind !== 'own' && to.kind !== 'own') return [{ kind: 'no-wait', reason: 'implicit' }];
  if (!sync) return [{ kind: 'no-wait', reason: protocol === 'cai' ? 'sync-false' : 'minus-one' }];
  return [
    { kind: 'event', stream: from.name, side: 'producer' },
    { kind: 'wait', stream: to.name, other: from.name, side: 'consumer' }
  ];
}

function producersWork(from: Place, { producerStream }: LessonChoice): FactContent {
  return { kind: 'work', stream: from.name, access: 'write', pending: producerStream !== 'null' };
}

function interfaceLesson(choice: LessonChoice): FactContent[] {
  const { producerStream, consumerStream, sync } = choice;
  const work = place(producerStream, 'stream #1');
  const to = place(consumerStream, 'stream #2');
  // 2 would mean another stream on another thread, so the legacy stream is named instead.
  const isPerThread = producerStream === 'per-thread';
  const named = isPerThread ? place('legacy', '') : work;
  const join: FactContent = { kind: 'join', stream: named.name, other: work.name, why: 'per-thread' };
  const nothing = producerStream === 'null';
  const waits = forward(named, to, choice);
  const waited = waits.length > 1;
  const stream = nothing ? 'None' : named.written;
  const back: FactContent[] = waited
    ? [
        { kind: 'event', stream: to.name, side: 'consumer' },
        { kind: 'wait', stream: named.name, other: to.name, side: 'producer' }
      ]
    : [{ kind: 'no-way-back' }];
  return [
    producersWork(work, choice),
    { kind: 'ask-interface' },
    ...(isPerThread ? [join] : []),
    { kind: 'descriptor', version: 3, stream, names: nothing ? null : named.name, event: false },
    { kind: 'view', stream: to.name },
    ...waits,
    { kind: 'use', side: 'consumer', stream: to.name, access: 'read' },
    ...(waited || nothing || !sync ? back : []),
    { kind: 'use', side: 'producer', stream: work.name, access: 'write' },
    { kind: 'release' }
  ];
}

function dlpackLesson(choice: LessonChoice): FactContent[] {
  const from = place(choice.producerStream, 'stream #1');
  const to = place(choice.consumerStream, 'stream #2');
  const asked = choice.consumerStream === 'null' ? 'None' : to.written;
  return [
    producersWork(from, choice),
    { kind: 'ask-device' },
    { kind: 'device', pair: '(2, 0)', name: 'kDLCUDA' },
    {
      kind: 'ask-capsule',
      stream: choice.sync ? asked : '-1',
      names: choice.sync ? to.name : null,
      options: 'max_version=(1, 3)'
    },
    ...forward(from, to, choice),
    { kind: 'capsule', name: 'dltensor_versioned', copied: false },
    { kind: 'consume', name: 'used_dltensor_versioned' },
    { kind: 'view', stream: to.name },
    { kind: 'use', side: 'consumer', stream: to.name, access: 'read' },
    { kind: 'no-way-back' },
    { kind: 'use', side: 'producer', stream: from.name, access: 'write' },
    { kind: 'release' }
  ];
}
