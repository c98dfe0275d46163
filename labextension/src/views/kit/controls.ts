/** Buttons, checkboxes and fields shared by all pictures. */

import { element, part, setAttribute } from './dom.ts';

/** Creates a button. `press` is not called while it is {@link disable}d. An empty title is omitted. */
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

/** Disables with `aria-disabled`: a `disabled` control would drop the focus and hide its reason from the keyboard. */
export function disable(control: HTMLElement, disabled: boolean): void {
  setAttribute(control, 'aria-disabled', disabled ? 'true' : null);
}

/** Creates a selection list; `changed` receives the index of the choice. */
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
  /** The label, which contains the input. */
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
