/** Shows a module's error in place of its view. */

export function showError(element: HTMLElement, error: Error): void {
  const box = document.createElement('pre');
  box.className = 'stridelab-module-error';
  box.setAttribute('role', 'alert');
  const stack = error.stack ?? '';
  box.textContent = stack.includes(error.message) ? stack : `${error.name}: ${error.message}\n${stack}`;
  element.replaceChildren(box);
}
