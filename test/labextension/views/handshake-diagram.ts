/** A handshake diagram in a page without a kernel: its pictures, visible content and controls. */

import { createHandshakeDiagram } from '../../../labextension/src/views/handshake/handshake.ts';
import { pass } from '../../setup/until.ts';
import type { Channel, Message, View } from '../../../labextension/src/views/kit/view.ts';
import { isHazard } from '../../../src/recording/exchanges/hazard.ts';
import { lessonFacts } from '../../../src/pictures/handshake/lesson.ts';
import type { ExchangeDescription, Fact, FactContent } from '../../../src/recording/exchanges/facts.ts';
import {
  HANDSHAKE_VERSION,
  LESSON_STREAMS,
  lessonKey,
  type HandshakePicture,
  type Lesson,
  type LessonChoice
} from '../../../src/pictures/handshake/schema.ts';
import {
  CAI_STREAMS,
  DLPACK_STREAMS,
  LANES,
  RUNS,
  STEP_WORDS
} from '../../../src/pictures/handshake/words.ts';

/** Pictures as the kernel half makes them. */
const lessonFactsOfAll: Fact[] = [];
export const lessons: Record<string, Lesson> = {};
for (const protocol of ['cai', 'dlpack'] as const)
  for (const producerStream of LESSON_STREAMS)
    for (const consumerStream of LESSON_STREAMS)
      for (const sync of [true, false]) {
        const choice = { protocol, producerStream, consumerStream, sync };
        const facts = lessonFacts(choice);
        lessons[lessonKey(choice)] = {
          facts: facts.map(fact => lessonFactsOfAll.push(fact) - 1),
          hazard: isHazard(facts)
        };
      }

export const OWN: LessonChoice = {
  protocol: 'cai',
  producerStream: 'own',
  consumerStream: 'own',
  sync: true
};

export const timed = (contents: readonly FactContent[]): Fact[] =>
  contents.map((content, index) => ({ ...content, time: 100 + index * 2 }));

export const recorded: ExchangeDescription = {
  number: 4,
  protocol: 'cai',
  language: 'javascript',
  producer: 'weights',
  consumer: 'view',
  cell: 'In [3]',
  device: 'sim:0',
  facts: timed([
    { kind: 'work', stream: 'stream #1', access: 'write', pending: true },
    { kind: 'ask-interface' },
    { kind: 'descriptor', version: 3, stream: '0x7f0011223344', names: 'stream #1', event: false },
    { kind: 'no-wait', reason: 'sync-false' },
    { kind: 'view', stream: 'stream #2' },
    { kind: 'use', side: 'consumer', stream: 'stream #2', access: 'read' }
  ]),
  hazard: true,
  more: 12
};

export function pictureOf(changes: Partial<HandshakePicture> = {}): HandshakePicture {
  return {
    version: HANDSHAKE_VERSION,
    mode: 'lesson',
    lesson: OWN,
    recording: false,
    exchanges: [],
    total: 0,
    dropped: 0,
    advice: 'call `exchanges.start()` first',
    words: STEP_WORDS,
    lanes: LANES,
    streamArguments: { cai: CAI_STREAMS, dlpack: DLPACK_STREAMS },
    lessons,
    lessonFacts: lessonFactsOfAll,
    runs: [
      { device: 'sim:0', about: RUNS.simulated },
      { device: 'cuda:0', about: RUNS.gpu }
    ],
    ...changes
  };
}

export let host: HTMLElement;
export let view: View;
export let push: (message: Message) => void = () => undefined;
export const asked: { method: string; parameters: unknown }[] = [];
/** The kernel's responses by method. */
export const kernel: { answers: Record<string, unknown> } = { answers: {} };
const channel: Channel = {
  request(method, parameters) {
    asked.push({ method, parameters });
    const answer = kernel.answers[method];
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve({ content: (answer ?? {}) as Message['content'], buffers: [] });
  },
  onPush(listener) {
    push = listener;
    return () => (push = () => undefined);
  }
};

export const show = (changes: Partial<HandshakePicture> = {}, connected = true): void =>
  view.update(pictureOf(changes), connected);
export const one = <Found extends Element = HTMLElement>(selector: string): Found => {
  const found = host.querySelector<Found>(selector);
  if (found === null) throw new Error(`nothing matches ${selector}`);
  return found;
};
export const sentence = (): string => one('.stridelab-sentence').textContent ?? '';
export const header = (): string => one('.stridelab-header').textContent ?? '';
export const chartTexts = (): string[] =>
  [...host.querySelectorAll('.stridelab-chart text')].map(node => node.textContent ?? '');
export const select = (label: string): HTMLSelectElement =>
  [...host.querySelectorAll('label')].find(node => node.textContent?.startsWith(label))
    ?.lastElementChild as HTMLSelectElement;
export function choose(label: string, value: string): void {
  select(label).value = value;
  select(label).dispatchEvent(new Event('change'));
}
export const press = (key: string): void => {
  one('.stridelab-stepper input').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
};
export const button = (label: string): HTMLButtonElement =>
  [...host.querySelectorAll('button')].find(node => node.textContent === label) as HTMLButtonElement;
export const settled = (): Promise<void> => pass(20, 'answers come in later turns');
export async function openTab(label: string): Promise<HTMLElement> {
  const tab = [...host.querySelectorAll<HTMLElement>('[role=tab]')].find(node =>
    node.textContent?.startsWith(label)
  );
  tab?.click();
  const { createSteps } = await import('../../../labextension/src/views/handshake/details.ts');
  expect(createSteps).toBeDefined();
  await settled();
  return one('[role=tabpanel]:not([hidden])');
}
export const rowsOf = (panel: HTMLElement): string[][] =>
  [...panel.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => cell.textContent ?? ''));

/** Gives each test of the file a new diagram, without requests. */
export function inDiagram(): void {
  beforeEach(() => {
    asked.length = 0;
    kernel.answers = {};
    host = document.createElement('div');
    document.body.append(host);
    view = createHandshakeDiagram(host, { channel });
  });
  afterEach(() => {
    view.dispose();
    host.remove();
  });
}
