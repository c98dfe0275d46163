import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    'dist/',
    'build/',
    '.venv/',
    '.venv-exchange/',
    '.gpu/',
    'native/build/',
    '**/*.generated.ts',
    '**/*.cjs',
    'webpack.config.js',
    '*.config.mjs'
  ]),
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': [
        'error',
        // The runner itself waits for the registered tests.
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['describe', 'suite', 'test', 'it'] }
          ]
        }
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      // Many interfaces here are records of closures, which have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }]
    }
  },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }]
    }
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs'],
    rules: { eqeqeq: 'error', 'no-console': 'error', 'prefer-const': 'error' }
  },
  {
    // Tests wait for an event, or for a condition with `until`. Only tests of time itself use `pass`.
    files: ['test/**/*.ts', 'test/**/*.mjs'],
    ignores: ['test/setup/until.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:timers/promises',
              importNames: ['setTimeout', 'setInterval', 'scheduler'],
              message: 'Wait for an event, or for a condition with `until` from test/setup/until.ts.'
            }
          ]
        }
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout'][arguments.1.value!=0]:not([arguments.length=1])",
          message: 'Wait for an event, or for a condition with `until` from test/setup/until.ts.'
        },
        {
          selector: "CallExpression[callee.property.name='waitForTimeout']",
          message: 'Wait for an event, or for a condition with `until` from test/setup/until.ts.'
        }
      ]
    }
  },
  { files: ['scripts/**', 'bench/**', 'fuzz/**', 'test/gpu/**'], rules: { 'no-console': 'off' } },
  prettier
);
