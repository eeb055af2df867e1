// Runs before the first paint, so that a dark page never flashes white. Keys and shapes: src/lib/storage/preferences.ts, src/lib/i18n/i18n.ts.
(() => {
  const root = document.documentElement;
  let theme = 'light';
  try {
    const stored = JSON.parse(localStorage.getItem('tilth.preferences') ?? 'null');
    const systemIsDark = matchMedia('(prefers-color-scheme: dark)').matches;
    const dark = stored?.state?.followSystem === true ? systemIsDark : stored?.state?.darkMode === true;
    if (dark) theme = 'dark';
    const language = localStorage.getItem('tilth.language');
    root.lang = 'en';
    // Who installs the console is told of it in their language.
    if (/^[a-z]{2}-[a-z]{2}$/.test(language)) {
      root.lang = Intl.getCanonicalLocales(language)[0];
      document.querySelector('link[rel="manifest"]')?.setAttribute('href', `/app.${language}.webmanifest`);
    }
  } catch {
    // Storage may be forbidden or hold something unreadable: the light theme in English stands.
  }
  // A system that dictates the colours has a background of its own.
  if (matchMedia('(forced-colors: active)').matches)
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.dataset.theme = theme;
})();
