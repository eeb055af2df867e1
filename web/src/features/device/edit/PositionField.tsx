import AimOutlined from '@ant-design/icons/AimOutlined';
import { Button, Input, type InputRef } from 'antd';
import type { ParseKeys } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Place } from '@/lib/map/place';
import { Field } from '@/ui/form/Field';
import type { FieldState } from '@/ui/form/useForm';
import { degreesText, parseDegrees, parsePair } from './coordinates';
import { PinFrame } from './PinFrame';
import css from './PositionField.module.css';
import type { EditValues } from './rules';
import { useGeolocation } from './useGeolocation';

/** The position as it is typed. */
type Degrees = Pick<EditValues, 'latitude' | 'longitude'>;

interface PositionFieldProps {
  /** The device's name; empty for one that does not exist yet. */
  own: string;
  /** The chosen scene. */
  groupId: number;
  latitude: FieldState<ParseKeys>;
  longitude: FieldState<ParseKeys>;
  values: Degrees;
  onChange: (part: Partial<Degrees>) => void;
}

/** Undefined while the position is missing or incomplete. */
export function placeOf({ latitude, longitude }: Degrees): Place | undefined {
  const [north, east] = [parseDegrees(latitude), parseDegrees(longitude)];
  if (typeof north !== 'number' || typeof east !== 'number') return undefined;
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { latitude: north, longitude: east } : undefined;
}

/** The device's position: the pin, the two numbers and "use my location" are one value. */
export function PositionField({ own, groupId, latitude, longitude, values, onChange }: PositionFieldProps) {
  const { t } = useTranslation();
  const [moves, setMoves] = useState(0);
  const put = (place: Place) => {
    onChange({ latitude: degreesText(place.latitude), longitude: degreesText(place.longitude) });
  };
  const here = useGeolocation((place) => {
    put(place);
    // The position may be far outside of the map's view.
    setMoves((count) => count + 1);
  });
  const empty = values.latitude.trim() === '' && values.longitude.trim() === '';

  const number = (name: 'latitude' | 'longitude', field: FieldState<ParseKeys>) => (
    <Field label={t(`device.form.${name}`)} error={field.error && t(field.error)}>
      {(labels) => (
        <Input
          {...labels}
          ref={field.ref as (input: InputRef | null) => void}
          className={css.number}
          value={values[name]}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => {
            const pair = parsePair(event.target.value);
            if (pair) put(pair);
            else onChange({ [name]: event.target.value });
          }}
          onBlur={() => {
            const degrees = parseDegrees(values[name]);
            if (typeof degrees === 'number') onChange({ [name]: degreesText(degrees) });
            field.onBlur();
            setMoves((count) => count + 1);
          }}
        />
      )}
    </Field>
  );

  return (
    <fieldset className={css.position}>
      <div className={css.head}>
        <legend className={css.label}>{t('home.device.position')}</legend>
        {here.possible ? (
          <Button
            type="text"
            size="small"
            className={css.here}
            icon={<AimOutlined aria-hidden="true" />}
            loading={here.looking}
            onClick={here.look}
          >
            {t('device.form.locate')}
          </Button>
        ) : null}
      </div>
      {here.failure ? (
        <p className={css.failure} role="alert">
          {t(here.failure)}
        </p>
      ) : null}
      <PinFrame place={placeOf(values)} moves={moves} own={own} groupId={groupId} onPlace={put} />
      <div className={css.pair}>
        {number('latitude', latitude)}
        {number('longitude', longitude)}
      </div>
      {empty ? (
        <p className={css.none}>{t('home.device.noPosition')}</p>
      ) : (
        <Button
          type="text"
          size="small"
          className={css.clear}
          onClick={() => onChange({ latitude: '', longitude: '' })}
        >
          {t('device.form.clear')}
        </Button>
      )}
    </fieldset>
  );
}
