/**
 * hls.js without alternative sound tracks, subtitles and DRM, which no camera sends. The package
 * has no types for this entry.
 */
declare module 'hls.js/light' {
  export { default, ErrorTypes, Events } from 'hls.js';
}
