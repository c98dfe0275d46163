/** Buttons, boxes and fields, as every picture has them. */

import { element, part, setAttribute } from './dom.ts';

/** `press` is not called while the button is {@link disable}d. An empty title is none. */
export function createButton(
  label: string,
  title: string,
  press: () => void,
  name = 'button'
): HTMLButtonElement {
  const button = element('button', { class: name, type: 'button' }, label);
  setAttribute(button, 'title', title || null);
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') press();
  });
  return button;
}

/** `aria-disabled` rather than `disabled`: a disabled control would drop the focus and hide its reason from the keyboard. */
export function disable(control: HTMLElement, disabled: boolean): void {
  setAttribute(control, 'aria-disabled', disabled ? 'true' : null);
}

/** A list to choose from; `changed` gets the number of the choice. */
export function createChoice(
  label: string,
  texts: readonly string[],
  changed: (index: number) => void
): HTMLSelectElement {
  const options = texts.map(text => element('option', {}, text));
  const created = element('select', { class: 'button', 'aria-label': label }, ...options);
  created.addEventListener('change', () => changed(created.selectedIndex));
  return created;
}

export interface Field {
  /** The label, the input in it. */
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
}

/** An input in its label. `changed` is called when a text is entered (by Enter, or by leaving the field changed) or a box is checked. */
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
