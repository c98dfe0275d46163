/** The built module for other hosts: in a bare host, and in anywidget's own frontend. Run the build first (`npm test` does). */

import { readFileSync } from 'node:fs';
import { until } from '../../setup/until.ts';
import { busy, live } from '../fixtures.ts';
import { anywidgetPage } from '../setup/anywidget-frontend.ts';
import { dataUrl, useModules } from '../setup/module-page.ts';

useModules();

const source = readFileSync('dist/afm/stridelab.js', 'utf8');

interface Options {
  readonly model: BareModel;
  readonly el: HTMLElement;
  readonly signal?: AbortSignal;
}

let afm: { render(options: Options): Promise<(() => void) | undefined> };
beforeAll(async () => {
  // jsdom has neither of them.
  globalThis.CSSStyleSheet = class {
    replaceSync(): void {}
  } as unknown as typeof CSSStyleSheet;
  document.adoptedStyleSheets = [];
  afm = ((await import(dataUrl(source))) as { default: typeof afm }).default;
});

/** The least that a host offers. */
class BareModel {
  readonly state: Record<string, unknown> = { view: 'ArrayInspector', picture: live, live: false };
  readonly listeners: [event: string, listener: () => void][] = [];
  removals = 0;

  get(name: string): unknown {
    return this.state[name];
  }

  on(event: string, listener: () => void): void {
    this.listeners.push([event, listener]);
  }

  off(event: string, listener: () => void): void {
    this.removals += 1;
    const index = this.listeners.findIndex(([name, known]) => name === event && known === listener);
    this.listeners.splice(index, 1);
  }

  change(picture: unknown): void {
    this.state['picture'] = picture;
    for (const [event, listener] of [...this.listeners]) if (event === 'change:picture') listener();
  }
}

const strip = (el: HTMLElement): string => el.querySelector('.stridelab-strip')?.textContent ?? '';

test('a host of before anywidget 0.11 passes no signal: the returned function ends the picture', async () => {
  const [model, el] = [new BareModel(), document.createElement('div')];
  const end = await afm.render({ model, el });
  expect(strip(el)).toContain('idle');
  model.change(busy);
  await until(() => strip(el).includes('busy'));
  end?.();
  expect(model.listeners).toEqual([]);
});

type End = (abort: () => void, cleanUp: () => void) => void;
test.each<[string, End]>([
  ['aborts the signal', abort => abort()],
  ['calls the returned function twice', (_, cleanUp) => [cleanUp(), cleanUp()]],
  ['aborts the signal, then calls the returned function', (abort, cleanUp) => [abort(), cleanUp()]],
  ['calls the returned function, then aborts the signal', (abort, cleanUp) => [cleanUp(), abort()]]
])('the picture ends once if the host %s', async (_, finish) => {
  const [model, el] = [new BareModel(), document.createElement('div')];
  const controller = new AbortController();
  const end = await afm.render({ model, el, signal: controller.signal });
  const listeners = model.listeners.length;
  finish(
    () => controller.abort(),
    () => end?.()
  );
  expect([model.listeners, model.removals]).toEqual([[], listeners]);
});

test('a signal that is aborted before or while the picture is loaded leaves nothing behind', async () => {
  const [early, late] = [new BareModel(), new BareModel()];
  const el = document.createElement('div');
  expect(await afm.render({ model: early, el, signal: AbortSignal.abort() })).toBeUndefined();
  expect([el.childNodes.length, early.listeners]).toEqual([0, []]);
  const controller = new AbortController();
  const drawn = afm.render({ model: late, el, signal: controller.signal });
  controller.abort();
  (await drawn)?.();
  expect([el.childNodes.length, late.listeners]).toEqual([0, []]);
});

test("anywidget 0.11's frontend shows a picture, follows its changes and ends it", async () => {
  const open = await anywidgetPage();
  const { show, update } = await open({ _esm: source, view: 'ArrayInspector', picture: live, live: false });
  const [one, two] = [await show(), await show()];
  await until(() => strip(one.el).includes('idle') && strip(two.el).includes('idle'));
  await update({ picture: busy });
  await until(() => strip(one.el).includes('busy') && strip(two.el).includes('busy'));
  one.remove();
  await update({ picture: live });
  await until(() => strip(two.el).includes('idle'));
  expect(strip(one.el)).toContain('busy');
  await update({ view: 'Nothing' });
  await until(() => two.el.textContent.includes('no picture named Nothing'));
});

test('another widget of anywidget shows a picture inside itself, which ends with it', async () => {
  const open = await anywidgetPage();
  const picture = await open({ _esm: source, view: 'ArrayInspector', picture: live, live: false });
  const outer = await open({
    _esm: `export default { async render({ model, el, host }) {
      await (await host.getWidget(model.get('picture'))).render({ el });
    } }`,
    picture: picture.reference
  });
  const view = await outer.show();
  await until(() => strip(view.el).includes('idle'));
  view.remove();
  await picture.update({ picture: busy });
  expect(strip(view.el)).toContain('idle');
});
