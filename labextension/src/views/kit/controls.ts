/** Buttons, checkboxes and fields shared by all pictures. */

import { element, part, setAttribute, setText, type Child } from './dom.ts';

/** Creates a button. `press` is not called while it is {@link disable}d. An empty title is omitted. */
export function createButton(
  label: Child,
  title: string,
  press: () => void,
  name = 'button'
): HTMLButtonElement {
  const button = element('button', { ...(name && { class: name }), type: 'button' }, label);
  setAttribute(button, 'title', title || null);
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') press();
  });
  return button;
}

/** Disables with `aria-disabled`: a `disabled` control would drop the focus and hide its reason from the keyboard. */
export function disable(control: HTMLElement, disabled: boolean): void {
  setAttribute(control, 'aria-disabled', disabled ? 'true' : null);
}

type Options = readonly (readonly [value: string, text: string])[];

/** Creates a selection list. `offer` patches its options, so that an open list stays open. */
export function createSelect(
  changed: (value: string) => void,
  attributes: Readonly<Record<string, string>> = {},
  options: Options = []
) {
  const select = element('select', attributes);
  select.addEventListener('change', () => changed(select.value));
  const offer = (offered: Options, value: string): void => {
    select.length = offered.length;
    for (const [index, [key, name]] of offered.entries()) {
      const option = select.options[index] as HTMLOptionElement;
      option.value = key;
      setText(option, name);
    }
    select.value = value;
  };
  offer(options, options[0]?.[0] ?? '');
  return { element: select, offer };
}

export interface Field {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
}

/** Creates a labelled input. `changed` is called when text is committed (Enter, or leaving the changed field) or a box is toggled. */
export function createField(
  label: string,
  attributes: Readonly<Record<string, string>>,
  changed: (input: HTMLInputElement) => void
): Field {
  const input = element('input', { class: 'field', ...attributes });
  input.addEventListener('change', () => changed(input));
  input.addEventListener('keydown', event => {
    if (event.key === 'Enter') changed(input);
  });
  return { element: part('label', 'label', label, input), input };
}
