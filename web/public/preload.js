// Fetches the home page's files while the console's first ones are still on their way: otherwise those ask for them, a
// round trip later. Only for who is signed in. The build writes the files into the tag of this script (scripts/preload.ts).
(() => {
  const { home, texts } = document.currentScript.dataset;
  let language = 'en-us';
  try {
    if (!localStorage.getItem('tilth.session')) return;
    language = localStorage.getItem('tilth.language') ?? language;
  } catch {
    return; // Storage may be forbidden: then nobody is signed in yet.
  }
  if (location.pathname !== '/' && location.pathname !== '/dashboard-default') return;
  for (const href of [...JSON.parse(home), ...(JSON.parse(texts)[language] ?? [])]) {
    const link = document.createElement('link');
    link.href = href;
    link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
    if (link.rel === 'preload') link.as = 'style';
    document.head.append(link);
  }
})();
