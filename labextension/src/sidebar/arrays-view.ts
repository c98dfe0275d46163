/** The content of the panel: the notebook's name, filter and grouping, the list or the reason for its absence, and the devices. */

import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { element, setAttribute, setText } from '../views/kit/dom.ts';
import { keepKeys } from '../views/kit/keys.ts';
import { oncePerFrame } from '../views/kit/once-per-frame.ts';
import { createAbsence, type Remedy } from './absence.ts';
import { arrange, bytesOf, type Arrangement, type Column } from './arrange.ts';
import { createArrayList, type ListActions } from './array-list.ts';
import type { ArraysModel, Source } from './arrays-model.ts';
import { createDeviceBars, type DeviceActions, type DeviceUse } from './device-bars.ts';
import { countOf } from './free-sentences.ts';
import { GROUPINGS, type Grouping } from './settings.ts';
import { subjectOf, type PlaceSubject, type Subject } from './subjects.ts';
import { __ } from '../views/kit/phrases.ts';

export interface ArraysActions extends DeviceActions, Omit<ListActions, 'sort' | 'fold'> {
  inspect(subject: Subject): void;
  remedy(remedy: Exclude<Remedy, 'clear-filter'>): void;
}

export function createArraysView(
  host: HTMLElement,
  model: ArraysModel,
  actions: ArraysActions,
  initial: Grouping
) {
  let arrangement: Arrangement = {
    grouping: initial,
    column: 'name',
    descending: false,
    filter: '',
    folded: new Set()
  };
  let shownSource: Source | null = null;
  const title = element('b');
  const summary = element('small');
  const filter = element('input', {
    type: 'search',
    placeholder: __('Filter arrays'),
    'aria-label': __('Filter arrays by name, dtype, shape, device or state')
  });
  const grouping = element(
    'select',
    { 'aria-label': __('Group by') },
    ...GROUPINGS.map(name => option(name))
  );
  grouping.value = initial;
  const status = element('p', { class: 'status', role: 'status' });
  /** The device in the footer, if it was used more recently than the list. */
  let device: PlaceSubject | undefined;
  const choose = (chosen: PlaceSubject | undefined): void => {
    device = chosen;
    actions.moved();
  };
  const bars = createDeviceBars(actions, choose);

  const rearrange = (change: Partial<Arrangement>): void => {
    arrangement = { ...arrangement, ...change };
    draw();
  };
  const sort = (column: Column): void => {
    const same = column === arrangement.column;
    // Sizes sort descending first.
    rearrange({ column, descending: same ? !arrangement.descending : column === 'size' });
  };
  const list = createArrayList({
    ...actions,
    moved: () => choose(undefined),
    sort,
    fold(key, folded) {
      const keys = new Set(arrangement.folded);
      if (folded) keys.add(key);
      else keys.delete(key);
      rearrange({ folded: keys });
    }
  });
  const absence = createAbsence(remedy => {
    if (remedy !== 'clear-filter') {
      actions.remedy(remedy);
      return;
    }
    filter.value = '';
    rearrange({ filter: '' });
    list.focus();
  });
  filter.addEventListener('input', () => rearrange({ filter: filter.value }));
  filter.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'Enter') list.focus();
    else if (event.key === 'Escape' && filter.value !== '') {
      filter.value = '';
      rearrange({ filter: '' });
    } else return;
    event.preventDefault();
  });
  grouping.addEventListener('change', () => rearrange({ grouping: grouping.value as Grouping }));

  const controls = element('search', {}, filter, grouping);
  host.classList.add('stridelab-view', 'stridelab-arrays');
  keepKeys(host);
  host.append(
    element('header', {}, title, summary),
    controls,
    absence.element,
    list.element,
    status,
    bars.element
  );

  function draw(): void {
    const { source, arrays, entries } = model;
    const missing = model.absence;
    // The outcome of an action on another notebook's arrays is cleared.
    if (source?.widget !== shownSource?.widget) setText(status, '');
    shownSource = source;
    const rows = missing === null ? arrange(entries, arrays?.streams ?? [], arrangement) : [];
    const shownAbsence = missing ?? (rows.length === 0 ? 'filtered' : null);
    setText(title, source?.widget.title.label ?? __('Arrays'));
    setAttribute(title, 'title', source?.sessionContext.path ?? null);
    controls.hidden = missing !== null;
    list.element.hidden = shownAbsence !== null;
    absence.update(shownAbsence, source?.sessionContext.kernelDisplayName ?? '');
    if (missing === null) list.update(rows, arrangement.column, arrangement.descending);
    const live = entries.filter(({ state }) => state !== 'freed');
    const facts = [countOf(live.length), formatBytes(bytesOf(live))];
    if (arrays?.truncated === true) facts.push(__('more are not shown'));
    if (arrays?.offline === true) facts.push(__('◌ disconnected'));
    else if (arrays?.connection.status === 'busy') facts.push(__('● kernel busy'));
    setText(summary, missing === null ? facts.join(' · ') : '');
    bars.update(missing === null ? devicesInUse(model) : []);
  }
  const ended = new AbortController();
  const drawSoon = oncePerFrame(ended.signal, draw);
  model.changed.connect(drawSoon);
  draw();

  return {
    /** The arrays of the active row. */
    get chosen(): readonly ArrayEntry[] {
      const { active } = list;
      if (device !== undefined) return [];
      return active === undefined ? [] : active.kind === 'group' ? active.entries : [active.entry];
    },
    /** The subject of the row that was used last; undefined for memory that several arrays share. */
    get subject(): Subject | undefined {
      return device ?? (list.active === undefined ? undefined : subjectOf(list.active));
    },
    say: (sentence: string): void => void setText(status, sentence),
    group(wanted: Grouping): void {
      grouping.value = wanted;
      rearrange({ grouping: wanted });
    },
    focus: (): void => (list.element.hidden ? (host.querySelector('button') ?? host).focus() : list.focus()),
    dispose(): void {
      model.changed.disconnect(drawSoon);
      ended.abort();
      list.dispose();
    }
  };
}

function option(name: Grouping): HTMLOptionElement {
  const labels: Readonly<Record<Grouping, string>> = {
    storage: __('By memory'),
    device: __('By device'),
    dtype: __('By dtype'),
    stream: __('By stream'),
    none: __('Ungrouped')
  };
  return element('option', { value: name }, labels[name]);
}

function devicesInUse({ arrays, entries }: ArraysModel): DeviceUse[] {
  return (arrays?.devices ?? []).map(device => ({
    ...device,
    arrays: bytesOf(entries.filter(entry => entry.device === device.label && entry.memory === 'device'))
  }));
}
