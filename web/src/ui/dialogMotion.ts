/**
 * The motion of every dialog: it has its final place and size from the first moment. The buttons of
 * a growing dialog are not yet where a user presses them; on a slow machine the press would land
 * outside and close the dialog instead of confirming.
 */
export const dialogMotion = { transitionName: 'ant-fade' } as const;
