import { createRequire } from 'node:module';
import { RESUMABLE_UNTIL } from '../../../src/notebook/resumable-runs.ts';
import { PROTOCOL_VERSION } from '../../protocol/messages.ts';

const require = createRequire(import.meta.url);

/** Returns the content of `kernel_info_reply`; pages read `resumableUntil` (src/notebook/resumable-runs.ts). */
export function kernelInfo(resumableUntil: string | null): object {
  const own = require('#package') as { version: string };
  const typescript = require('ts7/package.json') as { version: string };
  return {
    status: 'ok',
    protocol_version: PROTOCOL_VERSION,
    implementation: 'stridelab',
    implementation_version: own.version,
    language_info: {
      name: 'typescript',
      version: typescript.version,
      mimetype: 'text/typescript',
      file_extension: '.ts',
      pygments_lexer: 'typescript',
      // A MIME type, which both CodeMirror 5 and 6 understand.
      codemirror_mode: 'text/typescript-jsx',
      nbconvert_exporter: 'script'
    },
    banner: `Stridelab ${own.version}: TypeScript ${typescript.version} on Node ${process.versions.node}`,
    debugger: true,
    supported_features: ['kernel subshells'],
    [RESUMABLE_UNTIL]: resumableUntil,
    help_links: [
      { text: 'TypeScript handbook', url: 'https://www.typescriptlang.org/docs/handbook/intro.html' }
    ]
  };
}
