/** Loads the page that is open anew, the program with it. */
export const reload = () => window.location.reload();
