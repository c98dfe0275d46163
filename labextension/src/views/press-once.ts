/** One press, one action. Apart from what builds elements, which a page needs later. */

/** Enter held down presses a button of `host` once: recordings, cells and notebooks would else begin over and over. */
export function pressOnce(host: HTMLElement): void {
  host.addEventListener('keydown', event => {
    if (event.repeat && event.key === 'Enter' && event.target instanceof HTMLButtonElement)
      event.preventDefault();
  });
}
