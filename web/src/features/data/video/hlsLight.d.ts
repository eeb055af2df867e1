/** hls.js without what no camera sends: other sound tracks, subtitles, rights management. It brings no types of its own. */
declare module 'hls.js/light' {
  export { default, ErrorTypes, Events } from 'hls.js';
}
