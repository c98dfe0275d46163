/** Buttons, boxes and fields, as every picture has them. JupyterLab's command mode does not take their keys. */

import { element, part, setAttribute } from './dom.ts';

const OWN_KEYS = { 'data-lm-suppress-shortcuts': 'true' };

/** `press` is not called while the button is {@link disable}d. */
export function createButton(label: string, title: string, press: () => void): HTMLButtonElement {
  const button = element('button', { class: 'stridelab-button', type: 'button', title, ...OWN_KEYS }, label);
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') press();
  });
  return button;
}

/** `aria-disabled` rather than `disabled`: a disabled control would drop the focus and hide its reason from the keyboard. */
export function disable(control: HTMLElement, disabled: boolean): void {
  setAttribute(control, 'aria-disabled', disabled ? 'true' : null);
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
  const input = element('input', { class: 'stridelab-field', ...OWN_KEYS, ...attributes });
  input.addEventListener('change', () => changed(input));
  input.addEventListener('keydown', event => {
    // The notebook would take the focus back to the cell that is edited.
    event.stopPropagation();
    if (event.key === 'Enter') changed(input);
  });
  return { element: part('label', 'label', label, input), input };
}
