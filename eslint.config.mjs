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
        // The runner itself waits for what it registers.
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
  { files: ['scripts/**', 'bench/**', 'fuzz/**', 'test/gpu/**'], rules: { 'no-console': 'off' } },
  prettier
);
