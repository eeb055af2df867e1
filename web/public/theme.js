// Runs before the first paint, so that a dark page never flashes white. Keys and shapes: src/lib/preferences.ts, src/lib/i18n.ts.
(() => {
  const root = document.documentElement;
  const tags = { 'en-us': 'en', 'zh-cn': 'zh-CN', 'tr-tr': 'tr', 'ru-ru': 'ru' };
  let theme = 'light';
  try {
    const stored = JSON.parse(localStorage.getItem('tilth.preferences') ?? 'null');
    if (stored?.state?.darkMode === true) theme = 'dark';
    root.lang = tags[localStorage.getItem('tilth.language')] ?? 'en';
  } catch {
    // Storage may be forbidden or hold something unreadable: the light theme in English stands.
  }
  root.dataset.theme = theme;
})();
