/** A point on the earth in degrees, WGS-84 unless a name says otherwise. */
export interface Place {
  latitude: number;
  longitude: number;
}

/** The centre of the map when nothing has a position. */
export const defaultPlace: Place = { latitude: 36.6, longitude: 114.48 };
export const defaultZoom = 5;
