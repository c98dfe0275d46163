/** Static types of widgets; `tsc -b test` fails if they are too loose, the assertions if they are too narrow. */

import {
  dlink,
  Dropdown,
  fixed,
  interactive,
  IntSlider,
  Label,
  SelectMultiple,
  Text
} from '../../../kernel/widgets/controls/index.ts';
import { withPage } from './page.ts';

withPage();

test('the value of a choice has the type of its options', () => {
  const names: string[] = ['a'];
  const text: string | null = new Dropdown({ options: names }).value;
  const listed: 'a' | 'b' | null = new Dropdown({ options: ['a', 'b'] }).value;
  const labelled: 1 | 100 | null = new Dropdown({ options: { small: 1, large: 100 } }).value;
  const pairs: Date | null = new Dropdown({ options: [['then', new Date(0)]] }).value;
  const many: readonly (1 | 2)[] = new SelectMultiple({ options: [1, 2], value: [2] }).value;
  expect([text, listed, labelled, pairs, many]).toEqual(['a', 'a', 1, new Date(0), [2]]);
});

test('an invalid value is refused before the cell runs, and by the widget', () => {
  const slider = new IntSlider();
  // @ts-expect-error: no such option
  expect(() => new IntSlider({ valu: 1 })).toThrow(TypeError);
  // @ts-expect-error: text is no number
  expect(() => (slider.value = 'x')).toThrow(TypeError);
  // @ts-expect-error: not one of its choices
  expect(() => (slider.orientation = 'diagonal')).toThrow(TypeError);
  // @ts-expect-error: a number is no text
  expect(() => dlink([slider, 'value'], [new Label(), 'value'])).toThrow(TypeError);
  dlink([new Text({ value: 'same' }), 'value'], [new Label(), 'value']).unlink();
  // @ts-expect-error: no such property
  slider.observe('valu', () => {});
});

test('the function of interact has typed arguments', () => {
  const own = new IntSlider({ value: 4 });
  const made = interactive(
    ({ n, name, loud, kept, one, own: value }) => {
      const typed: [number, string, boolean, { z: number }, 'p' | 'q' | null, number] = [
        n,
        name,
        loud,
        kept,
        one,
        value
      ];
      return typed.length;
    },
    { n: [0, 10], name: 'Ada', loud: true, kept: fixed({ z: 1 }), one: ['p', 'q'], own },
    { auto_display: false }
  );
  const result: number | undefined = made.result;
  expect([result, made.arguments.own]).toEqual([undefined, 4]);
});
