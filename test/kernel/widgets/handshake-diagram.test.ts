/** The kernel half of the handshake diagram: its messages, the runs that it makes, and its error messages. */

import { writeFileSync } from 'node:fs';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { pass, until } from '../../setup/until.ts';
import { join } from 'node:path';

import { HandshakeDiagram } from '../../../kernel/widgets/pictures/handshake/handshake-diagram.ts';
import { openPicture } from '../../../kernel/widgets/pictures/open.ts';
import { runSkippedWait } from '../../../kernel/widgets/pictures/handshake/skipped-wait/run.ts';
import { isHazard } from '../../../src/recording/exchanges/hazard.ts';
import { lessonFacts } from '../../../src/pictures/handshake/lesson.ts';
import type { HandshakePicture, LessonChoice } from '../../../src/pictures/handshake/schema.ts';
import { PICTURE_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { asCudaArray, DISPLAY_METHOD, exchanges, Stream, zeros } from '../../../src/index.ts';
import { Page } from './page.ts';

const sim = { device: 'sim:0' } as const;
const OWN: LessonChoice = { protocol: 'cai', producerStream: 'own', consumerStream: 'own', sync: false };

const page = new Page();
afterEach(() => exchanges.stop());

const pictureOf = (diagram: HandshakeDiagram): HandshakePicture => diagram.picture;

/** Sends a request as a page does, and returns the response. */
async function ask(diagram: HandshakeDiagram, method: string, parameters: object): Promise<unknown> {
  page.take(diagram);
  page.custom(diagram, { kind: 'request', id: 1, method, parameters });
  await new Promise(resolve => setTimeout(resolve));
  return page
    .data(diagram)
    .map(data => data['content'] as Record<string, unknown>)
    .find(content => content['kind'] === 'response');
}

/** The next message that the kernel pushes. */
async function pushed(diagram: HandshakeDiagram): Promise<Record<string, unknown>> {
  for (;;) {
    const found = page
      .data(diagram)
      .map(data => data['content'] as Record<string, unknown> | undefined)
      .find(content => content?.['kind'] === 'push');
    if (found !== undefined) return found['content'] as Record<string, unknown>;
    await pass(20, 'the push comes in a later turn');
  }
}

describe('the picture', () => {
  test('is a lesson for the selected streams', () => {
    const diagram = new HandshakeDiagram({ protocol: 'dlpack', consumerStream: 'per-thread', sync: false });
    expect(pictureOf(diagram)).toMatchObject({
      version: 1,
      mode: 'lesson',
      lesson: { protocol: 'dlpack', producerStream: 'own', consumerStream: 'per-thread', sync: false }
    });
    expect(Object.keys(pictureOf(diagram).lessons)).toHaveLength(64);
    const bundle = diagram[DISPLAY_METHOD]();
    expect(bundle[PICTURE_MIME_TYPE]).toEqual({ view: 'HandshakeDiagram', picture: pictureOf(diagram) });
    expect(bundle['text/plain']).toContain('No wait: -1 disables synchronization');
    expect(bundle['text/html']).toContain('<code>__dlpack__(stream=-1, max_version=(1, 3))</code>');
    diagram.close();
  });

  test.each([
    [{ protocol: 'rest' }, /protocol "rest" is not/],
    [{ producerStream: 'third' }, /producerStream "third" is not one of null, legacy, per-thread, own/],
    [{ sync: 'yes' }, /sync "yes"/]
  ])('%j is refused', (options, message) => {
    expect(() => new HandshakeDiagram(options as never)).toThrow(message);
  });

  test('inspect(exchanges) shows recorded exchanges, with the names of variables, as they happen', async () => {
    using s = new Stream(sim);
    using a = zeros(8, { ...sim, stream: s });
    const source = {
      get __cuda_array_interface__() {
        return a.__cuda_array_interface__;
      }
    };
    exchanges.start();
    const b = asCudaArray(source);
    page.variables = { source, b };
    page.sent.length = 0;
    expect(openPicture(exchanges)[DISPLAY_METHOD]()).toHaveProperty([
      'application/vnd.jupyter.widget-view+json',
      'model_id'
    ]);
    expect(
      page.sent.find(
        ({ data }) => (data['state'] as object | undefined) && 'picture' in (data['state'] as object)
      )
    ).toMatchObject({
      data: { state: { _model_name: 'HandshakeDiagramModel', picture: { mode: 'recorded', total: 1 } } }
    });
    const diagram = new HandshakeDiagram({}, 'recorded');
    expect(pictureOf(diagram)).toMatchObject({
      mode: 'recorded',
      recording: true,
      total: 1,
      exchanges: [{ producer: 'source', consumer: 'b' }]
    });
    page.change(diagram, { _view_count: 1 });
    asCudaArray(source).dispose();
    await until(() => pictureOf(diagram).total >= 2);
    expect(pictureOf(diagram).total).toBe(2);
    b.dispose();
    await ask(diagram, 'stop', {});
    expect(exchanges.enabled).toBe(false);
    await ask(diagram, 'start', {});
    expect(exchanges).toMatchObject({ enabled: true });
    exchanges.stop();
    page.variables = {};
    diagram.close();
  });

  test('hundreds of exchanges stay below 64 KiB; older ones are sent on request', async () => {
    using s = new Stream(sim);
    using a = zeros(8, { ...sim, stream: s });
    exchanges.start();
    for (let read = 0; read < 250; read++)
      asCudaArray({ __cuda_array_interface__: a.__cuda_array_interface__ });
    const diagram = new HandshakeDiagram({}, 'recorded');
    const picture = pictureOf(diagram);
    expect(JSON.stringify(picture).length).toBeLessThan(64 * 1024);
    expect(picture.total).toBe(250);
    const first = picture.exchanges[0]?.number ?? 0;
    expect(first).toBeGreaterThan(1);
    const answer = (await ask(diagram, 'older', { before: first })) as {
      content: { exchanges: { number: number }[] };
    };
    expect(answer.content.exchanges.at(-1)?.number).toBe(first - 1);
    diagram.close();
  });

  test('an unknown exchange is an error of the request', async () => {
    const diagram = new HandshakeDiagram();
    expect(await ask(diagram, 'bogus', {})).toMatchObject({
      error: expect.stringContaining('bogus') as unknown
    });
    const nowhere = { choice: OWN, device: 'tpu:0' };
    expect(await ask(diagram, 'run', nowhere)).toMatchObject({
      error: expect.stringContaining('is not one of sim:0') as unknown
    });
    expect(await ask(diagram, 'run', { choice: { protocol: 'x' }, device: 'sim:0' })).toMatchObject({
      error: expect.stringContaining('protocol') as unknown
    });
    diagram.close();
  });
});

describe('the wait really is left out', () => {
  const choice = (text: string): LessonChoice => {
    const [protocol, producerStream, consumerStream] = text.split(' ') as ['cai', 'own', 'own'];
    return { protocol, producerStream, consumerStream, sync: false };
  };

  test.each(
    [
      'cai own own',
      'cai own null',
      'cai legacy per-thread',
      'cai per-thread own',
      'cai null own',
      'dlpack own null',
      'dlpack legacy own',
      'dlpack per-thread legacy'
    ].map(choice)
  )(
    '%j: the data are wrong exactly where the chart marks a hazard',
    async lesson => {
      const { wrong, verdict, rows, report } = await runSkippedWait(lesson, 'sim:0');
      const hazard = isHazard(lessonFacts(lesson));
      expect(wrong).toBe(hazard);
      expect(verdict).toContain(hazard ? '4096 of 4096 elements are wrong' : 'All elements are right');
      expect(rows[0]).toEqual(['0', '1', '1', hazard ? '✕ 0' : '1']);
      expect(rows.at(-1)?.[2]).toBe('0');
      expect(report.includes('read after write, not ordered')).toBe(hazard);
      expect(report).not.toContain('    at ');
    },
    30_000
  );

  test('its outcome is sent without a request', async () => {
    const diagram = new HandshakeDiagram();
    expect(await ask(diagram, 'run', { choice: OWN, device: 'sim:0' })).toMatchObject({
      content: { run: 1 }
    });
    expect(await pushed(diagram)).toMatchObject({ run: 1, outcome: { wrong: true } });
    diagram.close();
  }, 30_000);

  test('environment variables for exchanges do not apply to it', async () => {
    process.env['STRIDELAB_CAI_SYNC'] = '0';
    try {
      expect((await runSkippedWait(OWN, 'sim:0')).rows.at(-1)?.[2]).toBe('0');
    } finally {
      delete process.env['STRIDELAB_CAI_SYNC'];
    }
  }, 30_000);
});

describe('a run that fails is reported in a sentence', () => {
  const folder = temporaryFolder();

  function moduleOf(source: string): string {
    const path = join(folder, `${Math.random()}.mjs`);
    writeFileSync(path, source);
    return path;
  }

  test.each([
    ['process.kill(process.pid, "SIGSEGV"); setTimeout(() => {}, 9999);', /was terminated by SIGSEGV/],
    ['process.exit(3);', /ended with code 3/],
    ['console.log("a library says hello");', /The run failed: its process printed unexpected output/],
    ['console.log("null");', /The run failed: its process printed unexpected output/],
    ['throw new Error("no memory left");', /The run failed: no memory left/]
  ])('%s', async (source, message) => {
    await expect(runSkippedWait(OWN, 'sim:0', { module: moduleOf(source) })).rejects.toThrow(message);
  });

  test('a slow run ends', async () => {
    const module = moduleOf('setTimeout(() => {}, 60_000);');
    await expect(runSkippedWait(OWN, 'sim:0', { module, timeout: 300 })).rejects.toThrow(
      /longer than 0.3 s and was stopped/
    );
  });

  test('a picture can be closed while it runs', async () => {
    const stop = new AbortController();
    const module = moduleOf('setTimeout(() => {}, 60_000);');
    const run = runSkippedWait(OWN, 'sim:0', { module, signal: stop.signal });
    stop.abort();
    await expect(run).rejects.toThrow(/the picture was closed/);
  });
});
