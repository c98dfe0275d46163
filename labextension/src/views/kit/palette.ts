/** Colours for canvases, which cannot use CSS variables: read from an element's style, and again when the theme changes. */

export type Palette = ReturnType<typeof createPalette>;

const MEDIA = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)'];

/** Creates the palette. `onChange` is called in a separate frame after a theme change, when the new style sheet applies. */
export function createPalette(element: HTMLElement, onChange: () => void) {
  const known = new Map<string, string>();
  let frame = 0;
  const changed = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      known.clear();
      onChange();
    });
  };
  // JupyterLab sets its theme name on the body; its sheets are link elements.
  const themes = new MutationObserver(changed);
  themes.observe(document.body, { attributeFilter: ['data-jp-theme-name', 'data-jp-theme-light', 'class'] });
  const queries = MEDIA.map(query => window.matchMedia(query));
  for (const query of queries) query.addEventListener('change', changed);

  return {
    /** Returns the computed colour of `--stridelab-NAME` at the element. */
    color(name: string): string {
      let color = known.get(name);
      if (color === undefined) {
        color = computedColor(element, name);
        known.set(name, color);
      }
      return color;
    },
    dispose(): void {
      cancelAnimationFrame(frame);
      themes.disconnect();
      for (const query of queries) query.removeEventListener('change', changed);
    }
  };
}

/** A variable may be a mixture of others, which only a real property resolves to a colour. */
function computedColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--stridelab-${name})`;
  probe.style.display = 'none';
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
