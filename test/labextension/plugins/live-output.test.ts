import { jest } from '@jest/globals';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { shownPictures } from '../../../labextension/src/notebook/shown-pictures.ts';
import { LiveOutput, PATIENCE, WRITE_PERIOD } from '../../../labextension/src/plugins/live-output.ts';
import { WIDGET_VIEW_TYPE } from '../../../src/pictures/kit/live-messages.ts';

class Fake extends Widget implements IRenderMime.IRenderer {
  readonly rendered: unknown[] = [];

  constructor(text = '') {
    super();
    this.node.textContent = text;
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.rendered.push(model.data);
    return Promise.resolve();
  }

  /** Attaches a view to its output and detaches it, like the manager. */
  fill(): void {
    const view = document.createElement('section');
    view.className = 'stridelab-view';
    this.node.replaceChildren(view);
  }

  empty(): void {
    this.node.replaceChildren('Error displaying widget: model not found');
  }
}

let stills: Fake[];
let live: Fake;
/** The current manager, and a callback for when it may have changed. */
let manager: string | undefined;
let kernelChanged: (() => void) | undefined;
/** Called before a save. */
let save: (() => void) | undefined;
let isShared = false;

function open(hasManager = true): LiveOutput {
  manager = hasManager ? 'first' : undefined;
  stills = [];
  live = new Fake('Loading widget...');
  const createStill = (): Fake => {
    const still = new Fake('still');
    stills.push(still);
    return still;
  };
  const output = new LiveOutput(createStill, {
    manager: () => manager,
    create: () => (live = new Fake('Loading widget...')),
    watch(listener) {
      kernelChanged = listener;
      return () => (kernelChanged = undefined);
    },
    beforeSave(listener) {
      save = listener;
      return () => (save = undefined);
    },
    isShared: () => isShared
  });
  Widget.attach(output, document.body);
  return output;
}

const model = (trusted: boolean, types: readonly string[] = [WIDGET_VIEW_TYPE]): IRenderMime.IMimeModel =>
  ({ trusted, data: Object.fromEntries(types.map(type => [type, { model_id: 'a' }])) }) as never;
const shown = (output: LiveOutput): string[] =>
  [...output.node.children]
    .filter(child => (child as HTMLElement).style.display !== 'none')
    .map(child => child.textContent ?? '');
/** Observers are notified in a microtask. */
const observed = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  document.body.replaceChildren();
});

test('a live picture that is ready immediately is the only one drawn', async () => {
  const output = open();
  await output.renderModel(model(true));
  live.fill();
  await jest.advanceTimersByTimeAsync(PATIENCE * 2);
  expect(stills).toEqual([]);
  expect(live.node.style.display).toBe('');
  output.dispose();
  expect(live.isDisposed).toBe(true);
});

test('without its model the static picture is shown, and never the error of the manager', async () => {
  const output = open();
  await output.renderModel(model(true));
  expect(shown(output)).toEqual([]);
  live.empty();
  await jest.advanceTimersByTimeAsync(PATIENCE);
  expect(shown(output)).toEqual(['still']);
  output.dispose();
});

test('a live picture that is ready later replaces the static one, which returns after it', async () => {
  const output = open();
  await output.renderModel(model(true));
  await jest.advanceTimersByTimeAsync(PATIENCE);
  expect(stills.length).toBe(1);
  live.fill();
  await observed();
  expect(stills[0]?.isDisposed).toBe(true);
  expect(live.node.style.display).toBe('');
  live.empty();
  await jest.advanceTimersByTimeAsync(PATIENCE);
  expect(shown(output)).toEqual(['still']);
  output.dispose();
});

test.each([
  ['an untrusted notebook', true, model(false)],
  ['a static picture', true, model(true, [])],
  ['a page without a widget manager', false, model(true)]
])('%s: only the static picture, immediately', async (_what, hasManager, data) => {
  const output = open(hasManager);
  await output.renderModel(data);
  expect(shown(output)).toEqual(['still']);
  expect(live.rendered).toEqual([]);
  output.dispose();
});

test('a manager that is registered after the output replaces the earlier drawing', async () => {
  const output = open();
  await output.renderModel(model(true));
  const first = live;
  await jest.advanceTimersByTimeAsync(PATIENCE);
  kernelChanged?.();
  expect(live).toBe(first);
  manager = 'second';
  kernelChanged?.();
  expect(first.isDisposed).toBe(true);
  expect(live.rendered.length).toBe(1);
  expect(shown(output)).toEqual(['still']);
  live.fill();
  await observed();
  expect(stills[0]?.isDisposed).toBe(true);
  // Live pictures are left unchanged.
  manager = 'third';
  kernelChanged?.();
  expect(live.isDisposed).toBe(false);
  output.dispose();
  expect(kernelChanged).toBeUndefined();
});

test('nothing is drawn after the output is disposed', async () => {
  const output = open();
  await output.renderModel(model(true));
  output.dispose();
  await jest.advanceTimersByTimeAsync(PATIENCE * 2);
  expect(stills).toEqual([]);
});

describe('the saved picture is the visible one', () => {
  const ARRAY = 'application/vnd.stridelab.array+json';
  /** Like JupyterLab's model of an output: every write redraws it. */
  function savedModel(output: LiveOutput): IRenderMime.IMimeModel & { writes: number } {
    const made = {
      trusted: true,
      data: { [WIDGET_VIEW_TYPE]: { model_id: 'a' }, [ARRAY]: { fill: 0 }, 'text/plain': '0' } as object,
      metadata: {},
      writes: 0,
      setData({ data }: { data: object }) {
        made.data = data;
        made.writes++;
        void output.renderModel(made as never);
      }
    };
    return made as never;
  }
  let fill = 0;
  const change = (to: number): void => {
    fill = to;
    shownPictures.tellChange('a');
  };

  beforeEach(() => {
    fill = 0;
    isShared = false;
    shownPictures.add('a', () => ({ [ARRAY]: { fill }, 'text/plain': String(fill) }));
  });
  afterEach(() => shownPictures.remove('a'));

  async function openLive() {
    const output = open();
    const saved = savedModel(output);
    await output.renderModel(saved);
    live.fill();
    await observed();
    return { output, saved, drawn: live };
  }

  test('the first change is written immediately, later ones together; the view is not created again', async () => {
    const { output, saved, drawn } = await openLive();
    await jest.advanceTimersByTimeAsync(WRITE_PERIOD);
    expect(saved.writes).toBe(0);
    change(5);
    expect(saved.data).toMatchObject({ [ARRAY]: { fill: 5 }, 'text/plain': '5' });
    expect(saved.data[WIDGET_VIEW_TYPE]).toEqual({ model_id: 'a' });
    change(6);
    change(7);
    expect(saved.writes).toBe(1);
    await jest.advanceTimersByTimeAsync(WRITE_PERIOD);
    expect(saved.data).toMatchObject({ [ARRAY]: { fill: 7 } });
    expect(saved.writes).toBe(2);
    expect(live).toBe(drawn);
    expect(drawn.isDisposed).toBe(false);
    output.dispose();
    change(8);
    expect(saved.writes).toBe(2);
  });

  test('a save has the latest change, however recent', async () => {
    const { output, saved } = await openLive();
    change(5);
    change(6);
    save?.();
    expect(saved.data).toMatchObject({ [ARRAY]: { fill: 6 } });
    // Equal data is not a change of the notebook.
    save?.();
    await jest.advanceTimersByTimeAsync(WRITE_PERIOD * 2);
    expect(saved.writes).toBe(2);
    output.dispose();
    expect(save).toBeUndefined();
  });

  test('changes of the kernel while no page was open are written when the picture appears', async () => {
    fill = 3;
    const { output, saved } = await openLive();
    expect(saved.data).toMatchObject({ [ARRAY]: { fill: 3 } });
    output.dispose();
  });

  test('a notebook that several users edit together is written when it is saved, and not before', async () => {
    isShared = true;
    const { output, saved } = await openLive();
    change(5);
    await jest.advanceTimersByTimeAsync(WRITE_PERIOD);
    expect(saved.writes).toBe(0);
    save?.();
    expect(saved.data).toMatchObject({ [ARRAY]: { fill: 5 } });
    output.dispose();
  });

  test('other models, and pictures that nobody saw, change nothing', async () => {
    const output = open();
    const saved = savedModel(output);
    await output.renderModel(saved);
    fill = 5;
    shownPictures.tellChange('b');
    shownPictures.tellChange('a');
    save?.();
    expect(saved.writes).toBe(0);
    output.dispose();
  });
});
