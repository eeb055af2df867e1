import L from 'leaflet';
import { nearestCopy } from './copies';
import { graticuleStep, linesBetween, stepDecimals } from './graticule';
import css from './map.module.css';

const namespace = 'http://www.w3.org/2000/svg';
const pixelsApart = 96;
/** Below this size the lines have no names. */
const roomForNames = 420;

export interface DegreeFormat {
  latitude: (degrees: number, decimals: number) => string;
  longitude: (degrees: number, decimals: number) => string;
}

interface Line {
  /** Where it crosses the edge, in pixels of the map's frame. */
  at: number;
  name: string;
}

/**
 * Meridians and parallels over the view; their names stay at the left and lower edge while the map
 * is dragged.
 */
export class GraticuleLayer extends L.Layer {
  private words: DegreeFormat;
  private svg: SVGSVGElement | undefined;

  constructor(words: DegreeFormat) {
    super();
    this.words = words;
  }

  /** Switches the names to another language. */
  setFormat(words: DegreeFormat): void {
    this.words = words;
    if (this._map) this.draw();
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    return {
      move: () => this.draw(),
      zoom: () => this.draw(),
      resize: () => this.draw(),
      // The lines of one zoom do not fit the next: they are hidden during the animation.
      zoomanim: () => this.svg?.classList.add(css.aside ?? ''),
      zoomend: () => {
        this.draw();
        this.svg?.classList.remove(css.aside ?? '');
      },
    };
  }

  override onAdd(map: L.Map): this {
    const pane = map.getPane('graticule') ?? map.createPane('graticule');
    pane.classList.add(css.graticulePane ?? '');
    this.svg = document.createElementNS(namespace, 'svg');
    this.svg.setAttribute('aria-hidden', 'true');
    this.svg.classList.add(css.graticule ?? '');
    pane.append(this.svg);
    this.draw();
    return this;
  }

  override onRemove(): this {
    this.svg?.remove();
    this.svg = undefined;
    return this;
  }

  private draw(): void {
    const { svg, _map: map } = this;
    if (!svg) return;
    const size = map.getSize();
    if (size.x === 0 || size.y === 0) return;
    L.DomUtil.setPosition(svg as unknown as HTMLElement, map.containerPointToLayerPoint([0, 0]));
    svg.setAttribute('width', String(size.x));
    svg.setAttribute('height', String(size.y));

    const bounds = map.getBounds();
    const meridians = this.lines(bounds.getWest(), bounds.getEast(), size.x, (longitude, decimals) => ({
      at: map.latLngToContainerPoint([bounds.getCenter().lat, longitude]).x,
      name: this.words.longitude(nearestCopy(longitude, 0), decimals),
    }));
    const parallels = this.lines(bounds.getSouth(), bounds.getNorth(), size.y, (latitude, decimals) => ({
      at: map.latLngToContainerPoint([latitude, bounds.getCenter().lng]).y,
      name: this.words.latitude(latitude, decimals),
    }));
    const pieces: SVGElement[] = [
      ...meridians.map(({ at }) => lineElement(at, 0, at, size.y)),
      ...parallels.map(({ at }) => lineElement(0, at, size.x, at)),
    ];
    if (size.x >= roomForNames) {
      // The legend occupies the upper left corner, the scale bar the lower right one.
      for (const { at, name } of parallels) if (at > 72 && at < size.y - 32) pieces.push(textElement(8, at - 5, name));
      for (const { at, name } of meridians) if (at < size.x - 190) pieces.push(textElement(at + 5, size.y - 9, name));
    }
    svg.replaceChildren(...pieces);
  }

  private lines(from: number, to: number, pixels: number, make: (degrees: number, decimals: number) => Line): Line[] {
    const step = graticuleStep((to - from) / pixels, pixelsApart);
    return linesBetween(from, to, step).map((degrees) => make(degrees, stepDecimals(step)));
  }
}

function lineElement(x1: number, y1: number, x2: number, y2: number): SVGElement {
  const element = document.createElementNS(namespace, 'path');
  // At half pixels, a hairline is one pixel wide.
  const crisp = (value: number) => Math.round(value) + 0.5;
  element.setAttribute('d', `M${crisp(x1)} ${crisp(y1)}L${crisp(x2)} ${crisp(y2)}`);
  return element;
}

function textElement(x: number, y: number, content: string): SVGElement {
  const element = document.createElementNS(namespace, 'text');
  element.setAttribute('x', String(x));
  element.setAttribute('y', String(y));
  element.textContent = content;
  return element;
}
