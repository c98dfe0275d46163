/** The outputs and errors that a run collects from the kernel's messages, without a kernel. */

import { OutputCollector, type PublishedMessage } from '../../../kernel/cli/run/outputs.ts';
import { WidgetStateCollector } from '../../../kernel/cli/run/widget-state.ts';
import type { JsonObject } from '../../../kernel/protocol/messages.ts';

function message(type: string, content: JsonObject, more: Partial<PublishedMessage> = {}): PublishedMessage {
  return { type, parentId: 'cell', content, buffers: [], ...more };
}

describe('outputs', () => {
  test('stream texts are joined, and other cells do not interfere', () => {
    const collector = new OutputCollector();
    const outputs = collector.collect('cell');
    collector.receive(message('stream', { name: 'stdout', text: 'a' }));
    collector.receive(message('stream', { name: 'stdout', text: 'other' }, { parentId: 'else' }));
    collector.receive(message('stream', { name: 'stdout', text: 'b' }));
    collector.receive(message('stream', { name: 'stderr', text: 'c' }));
    expect(outputs).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'ab' },
      { output_type: 'stream', name: 'stderr', text: 'c' }
    ]);
  });

  test('a display is updated in place, also from a later cell', () => {
    const collector = new OutputCollector();
    const outputs = collector.collect('cell');
    const shown = (data: string): JsonObject => ({
      data: { 'text/plain': data },
      metadata: {},
      transient: { display_id: 'd' }
    });
    collector.receive(message('display_data', shown('old')));
    collector.receive(message('update_display_data', shown('new'), { parentId: 'later' }));
    expect(outputs).toEqual([{ output_type: 'display_data', data: { 'text/plain': 'new' }, metadata: {} }]);
  });

  test('a deferred clear happens with the next output', () => {
    const collector = new OutputCollector();
    const outputs = collector.collect('cell');
    collector.receive(message('stream', { name: 'stdout', text: 'old' }));
    collector.receive(message('clear_output', { wait: true }));
    expect(outputs).toHaveLength(1);
    collector.receive(message('stream', { name: 'stdout', text: 'new' }));
    expect(outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'new' }]);
  });
});

describe('widget state', () => {
  const open = (id: string): PublishedMessage =>
    message('comm_open', {
      comm_id: id,
      target_name: 'jupyter.widget',
      data: {
        state: { _model_name: 'M', _model_module: 'm', _model_module_version: '1', value: 1 },
        buffer_paths: []
      }
    });

  test('follows updates and buffers, and forgets closed models', () => {
    const collector = new WidgetStateCollector();
    collector.receive(open('kept'));
    collector.receive(open('closed'));
    const update = { method: 'update', state: { value: 2 }, buffer_paths: [['bytes']] };
    const content = { comm_id: 'kept', data: update };
    collector.receive(message('comm_msg', content, { buffers: [Uint8Array.of(255, 0)] }));
    collector.receive(message('comm_close', { comm_id: 'closed' }));
    expect(collector.metadata()).toEqual({
      'application/vnd.jupyter.widget-state+json': {
        version_major: 2,
        version_minor: 0,
        state: {
          kept: {
            model_name: 'M',
            model_module: 'm',
            model_module_version: '1',
            state: { _model_name: 'M', _model_module: 'm', _model_module_version: '1', value: 2 },
            buffers: [{ path: ['bytes'], encoding: 'base64', data: '/wA=' }]
          }
        }
      }
    });
  });

  test('is absent without widgets', () => {
    const collector = new WidgetStateCollector();
    collector.receive(message('comm_open', { comm_id: 'c', target_name: 'other', data: {} }));
    expect(collector.metadata()).toBeUndefined();
  });
});
