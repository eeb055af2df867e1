import { defineConfig, mergeConfig } from 'vitest/config';
import viteConfig from './vite.config.ts';

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: 'jsdom',
      environmentOptions: { jsdom: { url: 'http://farm.test/' } },
      setupFiles: ['src/test/setup.ts'],
      include: ['src/**/*.test.{ts,tsx}'],
      restoreMocks: true,
      // The runner itself does little: it leaves every processor to the tests.
      maxWorkers: '100%',
      // Generous, for machines that do much else: what is waited for comes as soon as it is there.
      testTimeout: 30_000,
      expect: { poll: { timeout: 10_000 } },
      css: { modules: { classNameStrategy: 'non-scoped' } },
    },
  }),
);
