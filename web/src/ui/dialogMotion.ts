/**
 * How every dialog comes and goes: at its place and size from the first moment. One that grows is not yet where its buttons are pressed,
 * and on a slow machine the press falls beside it, which closes what it was to confirm.
 */
export const dialogMotion = { transitionName: 'ant-fade' } as const;
