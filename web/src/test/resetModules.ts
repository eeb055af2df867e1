import { vi } from 'vitest';

// The files of a worker share third-party modules such as React and antd; each file loads the
// console's own modules afresh.
vi.resetModules();
