/** Reloads the open page and the program. */
export const reload = () => window.location.reload();
