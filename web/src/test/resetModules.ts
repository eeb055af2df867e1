import { vi } from 'vitest';

// A worker's files share what is not ours, such as React and antd; each has the console's own modules anew.
vi.resetModules();
