import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as controls from '../../../kernel/widgets/controls/index.ts';
import {
  Accordion,
  AppLayout,
  Button,
  Checkbox,
  ColorPicker,
  ColorsInput,
  Combobox,
  Controller,
  ControllerButton,
  DatePicker,
  DatetimePicker,
  Dropdown,
  FileUpload,
  FloatLogSlider,
  FloatSlider,
  FloatsInput,
  HBox,
  Image,
  IntProgress,
  IntRangeSlider,
  IntSlider,
  IntText,
  Label,
  Layout,
  NaiveDatetimePicker,
  SelectMultiple,
  SelectionRangeSlider,
  SelectionSlider,
  Tab,
  TagsInput,
  Text,
  TimePicker,
  TwoByTwoLayout,
  VBox,
  dlink,
  jslink,
  link
} from '../../../kernel/widgets/controls/index.ts';
import { Widget } from '../../../kernel/widgets/model/widget.ts';
import { echo, page, update, withPage } from './page.ts';

withPage();

interface Model {
  readonly model: { readonly name: string; readonly module: string; readonly version: string };
  readonly attributes: readonly { readonly name: string; readonly default: unknown; readonly type: string }[];
}
const schema = createRequire(import.meta.url)(
  '@jupyter-widgets/schema/jupyterwidgetmodels.latest.json'
) as Model[];

test('every model of the schema has a class, whose state begins with the defaults of the schema', () => {
  const classes = Object.values(controls).filter(
    (value): value is typeof IntSlider =>
      typeof value === 'function' && value.prototype instanceof Widget && value.name !== 'Interactive'
  );
  const made = new Map<string, Widget>();
  const a = new IntSlider();
  for (const Class of classes) {
    const name = Class.name;
    if (name === 'AppLayout' || name === 'TwoByTwoLayout') continue;
    const ends = { source: [a, 'value'], target: [a, 'max'] };
    const options = /Link$/.test(name) ? ends : name === 'SelectionRangeSlider' ? { options: ['a'] } : {};
    const widget = new Class(options as never);
    made.set(String(widget.fullState()._model_name), widget);
  }
  const abstract = ['DOMWidgetModel'];
  expect([...made.keys()].sort()).toEqual(
    schema
      .map(({ model }) => model.name)
      .filter(name => !abstract.includes(name))
      .sort()
  );
  const computed: Record<string, readonly string[]> = {
    IntRangeSliderModel: ['value'],
    FloatRangeSliderModel: ['value'],
    SelectionRangeSliderModel: ['_options_labels'],
    FileUploadModel: ['description'],
    SelectionSliderModel: ['index'],
    LinkModel: ['source', 'target'],
    DirectionalLinkModel: ['source', 'target']
  };
  for (const { model, attributes } of schema) {
    const state = made.get(model.name)?.fullState();
    if (state === undefined) continue;
    for (const { name, default: initial, type } of attributes) {
      expect([model.name, Object.keys(state)]).toEqual([model.name, expect.arrayContaining([name])]);
      if (type === 'reference' || type === 'bytes' || computed[model.name]?.includes(name)) continue;
      expect([model.name, name, state[name]]).toEqual([model.name, name, initial]);
    }
  }
});

describe('numbers', () => {
  test('a value stays between its bounds, and follows them', () => {
    const slider = new IntSlider({ value: 200, max: 150 });
    expect(slider.value).toBe(150);
    slider.value = -5;
    expect(slider.value).toBe(0);
    slider.min = 20;
    expect(slider.value).toBe(20);
    slider.set({ min: 300, max: 400, value: 1000 });
    expect(slider.value).toBe(400);
    slider.value = 310.9;
    expect(slider.value).toBe(310);
    expect(() => (slider.min = 500)).toThrow('IntSlider.min must not be above max: 500 > 400');
    expect(() => (slider.max = 0)).toThrow('IntSlider.max must not be below min: 0 < 300');
    expect(() => new IntSlider({ readout_format: 'many' })).toThrow('IntSlider.readout_format');
    expect(new IntProgress({ value: 7, bar_style: 'info' }).value).toBe(7);
    expect(new FloatSlider({ value: 2.5 }).value).toBe(2.5);
    expect(new IntText({ value: 2n as never }).value).toBe(2);
  });

  test('a range defaults to its middle half, and keeps its order', () => {
    const range = new IntRangeSlider({ max: 80 });
    expect(range.value).toEqual([20, 60]);
    range.upper = 1000;
    range.lower = -10;
    expect([range.value, range.lower, range.upper]).toEqual([[0, 80], 0, 80]);
    expect(() => (range.value = [5, 1])).toThrow('must begin with its lower end: 5 > 1');
    expect(() => (range.value = [5] as never)).toThrow('a pair of numbers');
    page.take(range);
    range.max = 50;
    expect(page.data(range)).toEqual([update({ max: 50, value: [0, 50] })]);
    page.change(range, { value: [10, 90] });
    expect(page.data(range)).toEqual([echo({ value: [10, 90] }), update({ value: [10, 50] })]);
  });

  test('a logarithmic slider has exponents for bounds', () => {
    const slider = new FloatLogSlider({ value: 1e9, base: 10, max: 3 });
    expect(slider.value).toBe(1000);
    slider.base = 2;
    expect(slider.value).toBe(8);
  });
});

describe('selections', () => {
  test('index, label and value are one choice, whichever is set', () => {
    const menu = new Dropdown({ options: { one: 1, two: 2, three: 3 } });
    const value: number | null = menu.value;
    expect([value, menu.label, menu.index]).toEqual([1, 'one', 0]);
    menu.value = 3;
    expect([menu.label, menu.index]).toEqual(['three', 2]);
    menu.label = 'two';
    expect([menu.value, menu.index]).toEqual([2, 1]);
    menu.index = null;
    expect([menu.value, menu.label]).toEqual([null, null]);
    expect(() => (menu.value = 9 as never)).toThrow(
      'Dropdown.value must be one of the options one, two, three, not 9'
    );
    expect(() => (menu.index = 3)).toThrow('Dropdown.index must be from 0 to 2, not 3');
    expect(() => (menu.label = 'x')).toThrow('Dropdown.label must be one of the options');
  });

  test('the page has only labels and indices, and its choice is observed as a value', () => {
    const menu = new Dropdown({ options: [['a', { deep: 1 }] as const, ['b', { deep: 2 }] as const] });
    const state = page.take(menu)[0]!.data['state'];
    expect(state).toMatchObject({ _options_labels: ['a', 'b'], index: 0 });
    expect(state).not.toHaveProperty('value');
    const seen: unknown[] = [];
    menu.observe('value', change => seen.push(change.new));
    page.change(menu, { index: 1 });
    expect([seen, menu.value, page.data(menu)]).toEqual([[{ deep: 2 }], { deep: 2 }, [echo({ index: 1 })]]);
  });

  test('new options select the first, or none if none was selected', () => {
    const menu = new Dropdown({ options: ['a', 'b'], value: 'b' });
    page.take(menu);
    menu.options = ['c', 'd'];
    expect(menu.value).toBe('c');
    expect(page.data(menu)).toEqual([update({ index: 0, _options_labels: ['c', 'd'] })]);
    menu.index = null;
    menu.options = ['e'];
    expect(menu.value).toBe(null);
    menu.options = [];
    expect([menu.index, new Dropdown().value, new Dropdown({ options: [] }).index]).toEqual([
      null,
      null,
      null
    ]);
    expect(new Dropdown({ options: ['a', 'b'], index: 1 }).value).toBe('b');
    expect(new SelectionSlider({ options: new Map([['x', 5]]) as never }).value).toBe(5);
  });

  test('several options can be selected, by value, label or index', () => {
    const list = new SelectMultiple({ options: ['a', 'b', 'c'], value: ['a', 'c'] });
    expect([list.index, list.label]).toEqual([
      [0, 2],
      ['a', 'c']
    ]);
    list.label = ['b'];
    expect(list.value).toEqual(['b']);
    page.change(list, { index: [1, 2] });
    expect(list.value).toEqual(['b', 'c']);
    page.change(list, { index: [7] });
    expect([list.value, String(page.errors)]).toEqual([
      ['b', 'c'],
      expect.stringContaining('SelectMultiple.index must be from 0 to 2, not 7')
    ]);
    list.options = [1, 2];
    expect(list.value).toEqual([]);
  });

  test('a range has two ends among the options', () => {
    const range = new SelectionRangeSlider({ options: ['a', 'b', 'c'], value: ['b', 'c'] });
    expect(range.index).toEqual([1, 2]);
    range.index = [2, 0];
    expect(range.value).toEqual(['a', 'c']);
    expect(() => (range.value = ['a'])).toThrow('must be two options');
    expect(() => new SelectionRangeSlider({ options: [] })).toThrow('at least one option');
  });
});

describe('boxes', () => {
  test('children are sent as references, and can be given as the only argument', () => {
    const [one, two] = [new Label({ value: 'a' }), new Label({ value: 'b' })];
    const row = new HBox([one, two], { box_style: 'info' });
    expect(page.take(row)[0]!.data['state']).toMatchObject({
      box_style: 'info',
      children: [`IPY_MODEL_${one.model_id}`, `IPY_MODEL_${two.model_id}`]
    });
    expect(new VBox({ children: [row] }).children).toEqual([row]);
    expect(() => new HBox(['text' as never])).toThrow('HBox.children[0] must be a Widget');
    row.close();
    expect([one.closed, row.layout.closed]).toEqual([false, true]);
  });

  test('pages have as many titles as children, and the open one exists', () => {
    const pages = [new Label(), new Label(), new Label()];
    const accordion = new Accordion(pages, { titles: ['one'], selected_index: 2 });
    expect(accordion.titles).toEqual(['one', '', '']);
    accordion.children = pages.slice(0, 2);
    expect([accordion.selected_index, accordion.titles]).toEqual([null, ['one', '']]);
    expect(() => (accordion.selected_index = 2)).toThrow('selected_index must be null or from 0 to 1, not 2');
    const tab = new Tab(pages);
    expect(tab.selected_index).toBe(0);
    tab.selected_index = 2;
    tab.children = pages.slice(0, 1);
    expect(tab.selected_index).toBe(0);
    tab.children = [];
    expect(tab.selected_index).toBe(null);
  });

  test('an application layout leaves out empty regions', () => {
    const [header, left, center] = [new Button(), new Button(), new Button()];
    const app = new AppLayout({ header, left_sidebar: left, center, pane_widths: [1, '200px', 1] });
    expect(app.layout.grid_template_areas).toBe('"header header" "left center"');
    expect(app.layout.grid_template_columns).toBe('1fr 200px');
    expect(app.layout.grid_template_rows).toBe('1fr 3fr');
    expect([header.layout.grid_area, app.children]).toEqual(['header', [header, left, center]]);
    const grid = new TwoByTwoLayout({
      top_left: header,
      top_right: left,
      bottom_left: center,
      bottom_right: new Button(),
      layout: { grid_gap: '4px' }
    });
    expect([grid.children.length, grid.layout.grid_gap, grid.layout.grid_template_columns]).toEqual([
      4,
      '4px',
      '1fr 1fr'
    ]);
  });

  test('a border sets its four sides', () => {
    const layout = new Layout({ border: '1px solid' });
    expect([layout.border_top, layout.border_left]).toEqual(['1px solid', '1px solid']);
    layout.border_left = 'none';
    expect(layout.border).toBe(null);
    page.take(layout);
    layout.border = 'none';
    expect(page.data(layout)).toEqual([
      update({ border_top: 'none', border_right: 'none', border_bottom: 'none' })
    ]);
  });
});

describe('days and times', () => {
  const page_ = (widget: Widget<{ value: unknown }>): unknown => widget.fullState()['value'];

  test('a date is a local midnight; a datetime is sent in UTC; a naive one by its local fields', () => {
    const day = new DatePicker({ value: new Date(2026, 10, 21, 15, 30) });
    expect(page_(day as never)).toEqual({ year: 2026, month: 10, date: 21 });
    expect(day.value).toEqual(new Date(2026, 10, 21));
    page.change(day, { value: { year: 1999, month: 0, date: 31 } });
    expect(day.value).toEqual(new Date(1999, 0, 31));
    page.change(day, { value: null });
    expect(day.value).toBe(null);

    const moment = new DatetimePicker({ value: new Date('2026-11-21T10:20:30.400Z') });
    const fields = {
      year: 2026,
      month: 10,
      date: 21,
      hours: 10,
      minutes: 20,
      seconds: 30,
      milliseconds: 400
    };
    expect(page_(moment as never)).toEqual(fields);
    page.change(moment, { value: { ...fields, hours: 11 } });
    expect(moment.value).toEqual(new Date('2026-11-21T11:20:30.400Z'));

    const naive = new NaiveDatetimePicker({ value: new Date(2026, 10, 21, 10, 20, 30, 400) });
    expect(page_(naive as never)).toEqual(fields);
    page.change(naive, { value: { ...fields, minutes: 0 } });
    expect(naive.value).toEqual(new Date(2026, 10, 21, 10, 0, 30, 400));
    expect(page.errors).toEqual([]);
  });

  test('they stay between their bounds, and refuse invalid dates', () => {
    const day = new DatePicker({
      min: new Date(2026, 0, 10),
      max: new Date(2026, 0, 20),
      value: new Date(2027, 0, 1)
    });
    expect(day.value).toEqual(new Date(2026, 0, 20));
    expect(() => (day.min = new Date(2026, 5, 1))).toThrow('DatePicker.min must not be after max');
    expect(() => (day.value = new Date(NaN))).toThrow('DatePicker.value must be a valid Date');
    expect(day.step).toBe(1);
    day.step = 'any';
    expect(() => (day.step = 'some' as never)).toThrow("DatePicker.step must be one of 'any'");
  });

  test('a time of day is text or fields', () => {
    const time = new TimePicker({ value: '14:30' as never, max: '20:00:00.5' as never });
    expect(time.value).toEqual({ hours: 14, minutes: 30, seconds: 0, milliseconds: 0 });
    expect(time.max?.milliseconds).toBe(500);
    page.change(time, { value: { hours: 22, minutes: 1, seconds: 2, milliseconds: 3 } });
    expect(time.value).toEqual(time.max);
    expect(() => (time.value = '25:00' as never)).toThrow('TimePicker.value must be a time');
  });
});

describe('text, tags, colours', () => {
  test('a combobox with ensure_option refuses other values', () => {
    const box = new Combobox({ options: ['a', 'b'], ensure_option: true });
    box.value = 'a';
    expect(() => (box.value = 'c')).toThrow("Combobox.value must be one of its options, not 'c'");
  });

  test('tags follow the allowed values', () => {
    expect(() => new TagsInput({ value: [''] })).toThrow('empty entries');
    expect(() => new TagsInput({ value: ['c'], allowed_tags: ['a', 'b'] })).toThrow(
      'may contain a, b, not c'
    );
    expect(() => new FloatsInput({ value: [1, 9], max: 5 })).toThrow('from -∞ to 5, not 9');
    expect(() => new TagsInput({ value: ['a', 'a'], allow_duplicates: false })).toThrow('contain a twice');
    expect(new ColorsInput({ value: ['red', '#123'] }).value).toEqual(['red', '#123']);
  });

  test.each(['blue', '#060482', '#0604', 'RGB(1, 2, 3)', 'hsl(1 2% 3%)', 'var(--jp-brand-color1)'])(
    '%s is a colour',
    value => expect(new ColorPicker({ value }).value).toBe(value)
  );
  test.each(['bluish', '#12', '', 'url(x)', 5])('%j is none', value =>
    expect(() => new ColorPicker({ value: value as never })).toThrow('ColorPicker.value must be a colour')
  );

  test('text that looks like a reference stays text', () => {
    const text = new Text();
    const other = new Label();
    page.change(text, { value: `IPY_MODEL_${other.model_id}` });
    expect(text.value).toBe(`IPY_MODEL_${other.model_id}`);
  });
});

describe('buttons, files, controllers', () => {
  test('a click in the page and one in the kernel reach the same handlers', () => {
    const button = new Button({ description: 'Go' });
    let clicks = 0;
    button.on('click', () => (clicks += 1));
    page.custom(button, { event: 'click' });
    button.click();
    expect(clicks).toBe(2);
  });

  test('uploaded files are received with their bytes, and are not echoed', () => {
    const upload = new FileUpload({ multiple: true });
    page.take(upload);
    const file = { name: 'a.txt', type: 'text/plain', size: 3, last_modified: 5000 };
    page.tell(
      upload,
      { method: 'update', state: { value: [file], error: '' }, buffer_paths: [['value', 0, 'content']] },
      [Buffer.from('abc')]
    );
    expect(upload.value).toEqual([
      { ...file, last_modified: new Date(5000), content: new Uint8Array([97, 98, 99]) }
    ]);
    expect(page.data(upload)).toEqual([echo({ error: '' })]);
  });

  test('a picture is the bytes of a file, or an address', () => {
    const path = join(tmpdir(), `widget-picture-${process.pid}.jpg`);
    writeFileSync(path, Uint8Array.of(1, 2, 3));
    const picture = Image.fromFile(path, { width: '20' });
    expect([picture.value, picture.format, picture.width]).toEqual([
      new Uint8Array(readFileSync(path)),
      'jpeg',
      '20'
    ]);
    const shared = new Uint8Array([1, 2]);
    picture.value = shared;
    shared[0] = 9;
    expect(picture.value[0]).toBe(1);
    expect(Buffer.from(Image.fromUrl('https://a.b/c.png').value).toString()).toBe('https://a.b/c.png');
    expect(() => Image.fromFile('/nowhere.png')).toThrow('ENOENT');
  });

  test('the page opens the buttons of a controller; cells only read them', () => {
    const controller = new Controller();
    page.deliver(
      'comm_open',
      {
        comm_id: 'gamepad-button',
        target_name: 'jupyter.widget',
        data: {
          state: {
            _model_module: '@jupyter-widgets/controls',
            _model_name: 'ControllerButtonModel',
            value: 0.5
          }
        }
      },
      [],
      { version: '2.1.0' }
    );
    page.change(controller, { buttons: ['IPY_MODEL_gamepad-button'], connected: true, name: 'pad' });
    const [button] = controller.buttons;
    expect(button).toBeInstanceOf(ControllerButton);
    expect([button!.value, controller.connected, page.errors]).toEqual([0.5, true, []]);
    expect(() => (controller.name = 'mine')).toThrow('Controller.name is read-only: the page sets it');
  });
});

describe('links', () => {
  test('a link keeps two values equal, also if one side adjusts its value', () => {
    const [wide, narrow] = [new IntSlider({ value: 50 }), new IntSlider({ max: 10 })];
    const linked = link([wide, 'value'], [narrow, 'value']);
    expect(narrow.value).toBe(10);
    narrow.value = 4;
    expect(wide.value).toBe(4);
    linked.unlink();
    wide.value = 7;
    expect(narrow.value).toBe(4);
  });

  test('a directional link can transform', () => {
    const slider = new IntSlider({ value: 5 });
    const label = new Label();
    using _ = dlink([slider, 'value'], [label, 'value'], value => `${value} of ${slider.max}`);
    expect(label.value).toBe('5 of 100');
    page.change(slider, { value: 6 });
    expect(label.value).toBe('6 of 100');
  });

  test('a link in the page is a separate model', () => {
    const [box, other] = [new Checkbox(), new Checkbox()];
    const linked = jslink([box, 'value'], [other, 'value']);
    expect(page.take(linked)[0]!.data['state']).toMatchObject({
      _model_name: 'LinkModel',
      _view_name: null,
      source: [`IPY_MODEL_${box.model_id}`, 'value'],
      target: [`IPY_MODEL_${other.model_id}`, 'value']
    });
    expect(() => jslink([box, 'vaule'], [other, 'value'])).toThrow(
      'Checkbox has no property "vaule" that is synchronized with the page'
    );
  });
});
