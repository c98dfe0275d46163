/** Buttons, boxes and fields, as every picture has them. JupyterLab's command mode does not take their keys. */

import { element, setAttribute } from './dom.ts';

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
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
}

/** A field with its label before it. `enter` is called with the text when it is entered: by the Enter key, or by leaving the field. */
export function createField(
  label: string,
  attributes: Readonly<Record<string, string>>,
  enter: (text: string) => void
): Field {
  const input = element('input', { class: 'stridelab-field', ...OWN_KEYS, ...attributes });
  input.addEventListener('change', () => enter(input.value));
  return { element: element('label', { class: 'stridelab-label' }, label, input), input };
}

export interface Check {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
}

/** A box to check, with its label behind it. */
export function createCheck(label: string, changed: () => void): Check {
  const input = element('input', { type: 'checkbox', ...OWN_KEYS });
  input.addEventListener('change', changed);
  return { element: element('label', { class: 'stridelab-label' }, input, label), input };
}
