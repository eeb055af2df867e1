// Runs before the first paint, so that a dark page never flashes white. Keys and shapes: src/lib/preferences.ts, src/lib/i18n.ts.
(() => {
  const root = document.documentElement;
  const tags = { 'en-us': 'en', 'zh-cn': 'zh-CN', 'tr-tr': 'tr', 'ru-ru': 'ru' };
  let theme = 'light';
  try {
    const stored = JSON.parse(localStorage.getItem('tilth.preferences') ?? 'null');
    if (stored?.state?.darkMode === true) theme = 'dark';
    const language = localStorage.getItem('tilth.language');
    root.lang = tags[language] ?? 'en';
    // Who installs the console is told of it in their language.
    if (tags[language])
      document.querySelector('link[rel="manifest"]')?.setAttribute('href', `/app.${language}.webmanifest`);
  } catch {
    // Storage may be forbidden or hold something unreadable: the light theme in English stands.
  }
  // A system that dictates the colours has a background of its own.
  if (matchMedia('(forced-colors: active)').matches)
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.dataset.theme = theme;
})();
