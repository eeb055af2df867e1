import { defineConfig, mergeConfig } from 'vitest/config';
import viteConfig from './vite.config.ts';

// A file's name decides where its tests run: `*.test.ts` in Node alone, `*.test.tsx` and
// `*.dom.test.ts` with a page (docs/testing.md).
const withPage = ['src/**/*.test.tsx', 'src/**/*.dom.test.ts'];

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      restoreMocks: true,
      // The runner itself does little: the tests get every processor.
      maxWorkers: '100%',
      // Generous, for busy machines: the tests continue as soon as the awaited state is there.
      testTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
      css: { modules: { classNameStrategy: 'non-scoped' } },
      projects: [
        {
          extends: true,
          test: {
            name: 'dom',
            environment: 'jsdom',
            environmentOptions: { jsdom: { url: 'http://farm.test/' } },
            include: withPage,
            // Loading React, antd and a page for each file costs more than most files' tests.
            isolate: false,
            setupFiles: ['src/test/resetModules.ts', 'src/test/setup.dom.ts'],
          },
        },
        {
          extends: true,
          test: {
            name: 'node',
            environment: 'node',
            include: ['src/**/*.test.ts'],
            exclude: withPage,
            setupFiles: ['src/test/setup.node.ts'],
            // The two projects do not share workers.
            sequence: { groupOrder: 1 },
          },
        },
      ],
    },
  }),
);
