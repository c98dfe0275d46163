/** Tabs after the WAI-ARIA authoring practices: arrows, Home and End move and select; one tab is in the tab order. */

import { neighbour, onKeys } from './cursor.ts';
import { element, setAttribute, uniqueId, setLine } from './dom.ts';

export interface TabOptions {
  readonly name: string;
  readonly label: string;
  /** `opened` is called whenever the tab is opened: expensive content is requested only then. */
  readonly content: { readonly element: HTMLElement; opened?(): void };
}

export type Tabs = ReturnType<typeof createTabs>;

interface TabParts {
  readonly name: string;
  readonly tab: HTMLButtonElement;
  readonly note: HTMLElement;
  readonly panel: HTMLElement;
  readonly content: TabOptions['content'];
}

/** Creates tabs; the first one is selected. `label` names the whole set for screen readers. */
export function createTabs(label: string, options: readonly TabOptions[]) {
  const parts = options.map(createParts);
  const list = element(
    'div',
    { class: 'tablist', role: 'tablist', 'aria-label': label },
    ...parts.map(part => part.tab)
  );

  const select = (selected: TabParts): void => {
    for (const part of parts) {
      const isSelected = part === selected;
      setAttribute(part.tab, 'aria-selected', String(isSelected));
      part.tab.tabIndex = isSelected ? 0 : -1;
      part.panel.hidden = !isSelected;
    }
    selected.content.opened?.();
  };

  list.addEventListener('click', event => {
    const clicked = parts.find(part => part.tab.contains(event.target as Node));
    if (clicked) select(clicked);
  });
  onKeys(list, event => {
    const tabs = parts.map(({ tab }) => tab);
    const to = neighbour(event, tabs, 'ArrowLeft', 'ArrowRight');
    to?.click();
    to?.focus();
    return to !== undefined;
  });

  if (parts[0]) select(parts[0]);
  return {
    element: element('div', { class: 'tabs' }, list, ...parts.map(part => part.panel)),
    /** Opens a tab, as a click on it would. */
    open: (name: string): void => parts.find(part => part.name === name)?.tab.click(),
    /** Shows a short note beside a tab's label, visible while another tab is open. Empty text removes it. */
    setNote(name: string, note: string, kind: 'plain' | 'busy' | 'violation' = 'plain'): void {
      const part = parts.find(candidate => candidate.name === name);
      if (!part) return;
      setLine(part.note, note);
      setAttribute(part.note, 'data-kind', kind);
    }
  };
}

function createParts({ name, label, content }: TabOptions): TabParts {
  const tabId = uniqueId(`tab-${name}`);
  const panelId = uniqueId(`panel-${name}`);
  const note = element('span', { class: 'tab-note' });
  note.hidden = true;
  const tab = element(
    'button',
    { class: 'tab', id: tabId, type: 'button', role: 'tab', 'aria-controls': panelId },
    element('span', {}, label),
    ' ',
    note
  );
  const panel = element(
    'div',
    { class: 'panel', id: panelId, role: 'tabpanel', 'aria-labelledby': tabId, tabindex: '0' },
    content
  );
  return { name, tab, note, panel, content };
}
