import type { Locator } from 'playwright-core';
import { lab, withSession } from './lab-session.ts';

const sources = [
  `import * as widgets from 'stridelab/widgets';
const { IntSlider, Button, Output, Label, HBox, VBox, link, jslink } = widgets;
let speed = 0;
const slider = new IntSlider({ description: 'speed', _dom_classes: ['speed-slider'] });
slider.observe('value', change => { speed = change.new; console.log('heard ' + speed); });
slider`,
  `const out = new Output();
const button = new Button({ description: 'Press me' });
button.on('click', () => out.capture(() => console.log('pressed at speed ' + speed)));
new VBox([button, out])`,
  `const counter = widgets.anywidget({
  esm: \`export default {
    initialize: ({ model }) => ({ twice: () => 2 * model.get('value') }),
    render({ model, el, experimental }) {
      const button = document.createElement('button');
      button.className = 'any-counter';
      const show = () => { button.textContent = 'count is ' + model.get('value'); };
      button.onclick = async () => {
        const [sum] = await experimental.invoke('add', [model.get('value'), 1]);
        model.set('value', sum);
        model.save_changes();
      };
      model.on('change:value', show);
      show();
      el.append(button);
    }
  };\`,
  css: '.any-counter { color: rgb(1, 2, 3); }',
  state: { value: 40 },
  commands: { add: ([a, b]: [number, number]) => a + b }
});
counter`,
  `const shown = [];
const ends = [new IntSlider(), new IntSlider()];
for (const [name, Class] of Object.entries(widgets)) {
  if (typeof Class !== 'function' || !/^[A-Z]/.test(name) || /^(Widget|AnyWidget|Interactive|Layout|.*Style|.*Link|AppLayout|TwoByTwoLayout|Image|Video|Audio)$/.test(name)) continue;
  const options = name === 'SelectionRangeSlider' ? { options: ['a', 'b'] } : /Box$|Tab|Accordion|Stack/.test(name) ? { children: [new Label({ value: 'in ' + name })] } : {};
  shown.push(new (Class as new (options: object) => widgets.Widget)(options));
}
jslink([ends[0], 'value'], [ends[1], 'value']);
const gallery = new VBox([...ends, ...shown], { _dom_classes: ['gallery'] });
gallery`,
  `const interactive = widgets.interact(({ n }) => 'square ' + n * n, { n: [0, 10] });`,
  `widgets.anywidget({
  esm: \`export default {
    async render({ model, el, host }) {
      const { exports } = await host.getWidget(model.get('counter'));
      el.append('twice ' + exports.twice());
    }
  };\`,
  state: { counter }
})`
];

describe('widgets in JupyterLab', () => {
  withSession('widgets', sources);

  const slider = (): Locator => lab.page.locator('.speed-slider');
  const move = async (handle: Locator, key: string): Promise<void> => {
    await handle.locator('.noUi-handle').focus();
    await lab.page.keyboard.press(key);
  };
  const printed = async (text: string | RegExp): Promise<void> =>
    lab.page.locator('.jp-OutputArea-output pre', { hasText: text }).first().waitFor({ timeout: 30_000 });

  test('every cell ran, without errors on the page', async () => {
    await lab.page.locator('.gallery').waitFor({ timeout: 60_000 });
    expect(await lab.errorOutputs()).toEqual([]);
    expect(lab.complaints).toEqual([]);
    expect(await lab.page.getByText('Error displaying widget').count()).toBe(0);
  }, 90_000);

  test('a slider sets a variable, and its handler prints below the cell that added it', async () => {
    await slider().waitFor();
    await move(slider(), 'ArrowRight');
    await move(slider(), 'ArrowRight');
    await lab.cell(0).locator('pre', { hasText: 'heard 2' }).waitFor({ timeout: 30_000 });
    expect(await slider().locator('.widget-readout').textContent()).toBe('2');
  }, 60_000);

  test('a button prints into a separate Output', async () => {
    await lab.page.getByRole('button', { name: 'Press me' }).click();
    await lab.cell(1).locator('pre', { hasText: 'pressed at speed 2' }).waitFor({ timeout: 30_000 });
  }, 60_000);

  test('a module renders, has its style, and calls the kernel', async () => {
    const counter = lab.page.locator('.any-counter');
    await counter.click();
    await lab.page.locator('.any-counter', { hasText: 'count is 41' }).waitFor({ timeout: 30_000 });
    expect(await counter.evaluate(element => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)');
  }, 60_000);

  test('a module uses the exports of another', async () => {
    await lab.cell(5).getByText('twice 80').waitFor({ timeout: 30_000 });
  }, 60_000);

  test('every core control is drawn, and a link in the page moves two of them together', async () => {
    const gallery = lab.page.locator('.gallery');
    const drawn = await gallery.evaluate(element => element.children.length);
    expect(drawn).toBeGreaterThan(40);
    await move(gallery.locator('.widget-hslider').nth(0), 'ArrowRight');
    const second = gallery.locator('.widget-hslider').nth(1);
    await second.locator('.widget-readout', { hasText: /^1$/ }).waitFor();
    expect(lab.complaints).toEqual([]);
  }, 60_000);

  test('interact runs its function again', async () => {
    await printed('square 25');
    await move(lab.cell(4).locator('.widget-hslider'), 'ArrowRight');
    await printed('square 36');
  }, 60_000);

  test('a reloaded page shows all of them in their present state, and they still work', async () => {
    await lab.command('docmanager:save');
    await lab.page.reload();
    await slider().locator('.widget-readout', { hasText: /^2$/ }).waitFor({ timeout: 60_000 });
    await lab.page.locator('.any-counter', { hasText: 'count is 41' }).waitFor({ timeout: 30_000 });
    await lab.cell(5).getByText('twice 82').waitFor({ timeout: 30_000 });
    await lab.cell(1).locator('pre', { hasText: 'pressed at speed 2' }).waitFor({ timeout: 30_000 });
    await move(slider(), 'ArrowRight');
    await lab.page.getByRole('button', { name: 'Press me' }).click();
    await lab.cell(1).locator('pre', { hasText: 'pressed at speed 3' }).waitFor({ timeout: 30_000 });
    await lab.page.locator('.gallery').waitFor();
    expect(lab.complaints).toEqual([]);
  }, 120_000);

  test('a restart of the kernel marks the widgets as disconnected', async () => {
    await lab.page.evaluate(async () => {
      const { jupyterapp } = window as unknown as {
        jupyterapp: {
          shell: { currentWidget: { sessionContext: { session: { kernel: { restart(): Promise<void> } } } } };
        };
      };
      await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();
    });
    await lab.page.locator('.speed-slider.jupyter-widgets-disconnected').waitFor({ timeout: 30_000 });
  }, 60_000);
});
