/** @typedef {import('./wire.mjs').Message} Message */
/** @typedef {{ output_type: string, [key: string]: any }} Output one output of a code cell, nbformat 4 */

/** Turns the kernel's messages into the outputs of the cells that caused them. */
export class OutputCollector {
  /** @type {Map<string, { outputs: Output[], clearNext: boolean }>} */
  #cells = new Map();
  /** @type {Map<string, Output[]>} */
  #displays = new Map();

  /** Starts to collect for a request. @param {string} requestId @returns {Output[]} grows while messages arrive */
  collect(requestId) {
    /** @type {Output[]} */
    const outputs = [];
    this.#cells.set(requestId, { outputs, clearNext: false });
    return outputs;
  }

  /** @param {Message} message of the iopub channel */
  receive({ header, parent_header, content }) {
    if (header.msg_type === 'update_display_data') {
      for (const shown of this.#displays.get(content['transient']?.display_id) ?? [])
        Object.assign(shown, { data: content['data'], metadata: content['metadata'] });
      return;
    }
    const cell = this.#cells.get(parent_header.msg_id ?? '');
    if (cell === undefined) return;
    if (header.msg_type === 'clear_output') {
      if (content['wait']) cell.clearNext = true;
      else cell.outputs.length = 0;
      return;
    }
    const output = outputOf(header.msg_type, content);
    if (output === undefined) return;
    if (cell.clearNext) cell.outputs.length = 0;
    cell.clearNext = false;
    const last = cell.outputs.at(-1);
    if (
      output.output_type === 'stream' &&
      last?.output_type === 'stream' &&
      last['name'] === output['name']
    ) {
      last['text'] += output['text'];
      return;
    }
    cell.outputs.push(output);
    const displayId = content['transient']?.display_id;
    if (displayId !== undefined)
      this.#displays.set(displayId, [...(this.#displays.get(displayId) ?? []), output]);
  }
}

/** @param {string} type @param {Message['content']} content @returns {Output | undefined} */
function outputOf(type, content) {
  switch (type) {
    case 'stream':
      return { output_type: type, name: content['name'], text: content['text'] };
    case 'display_data':
      return { output_type: type, data: content['data'], metadata: content['metadata'] };
    case 'execute_result':
      return {
        output_type: type,
        execution_count: content['execution_count'],
        data: content['data'],
        metadata: content['metadata']
      };
    case 'error':
      return {
        output_type: type,
        ename: content['ename'],
        evalue: content['evalue'],
        traceback: content['traceback']
      };
    default:
      return undefined;
  }
}
