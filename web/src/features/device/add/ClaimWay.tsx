import { Button, Input, type InputRef } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { Field } from '@/ui/form/Field';
import css from './AddDialog.module.css';
import { AddFields } from './AddFields';
import { Scanner } from './Scanner';
import type { Claim } from './useClaim';
import { useMayScan } from './useMayScan';

interface ClaimWayProps {
  id: string;
  claim: Claim;
  onOpenDevice: (deviceName: string) => void;
}

/** A device with a code on its label: first the code, then what it is called here. */
export function ClaimWay({ id, claim, onOpenDevice }: ClaimWayProps) {
  const { t } = useTranslation();
  const { label, adding } = claim;
  if (!label) return <CodeStep id={id} claim={claim} />;
  // The label is no proof, so the server wants the code beside it.
  const needsCode = label.kind === 'lorawan' && adding.refusal?.field === 'form';
  return (
    <form id={id} onSubmit={adding.form.submit} noValidate>
      <div className={css.label}>
        <LabelFacts label={label} />
        <Button size="small" onClick={claim.another}>
          {t(needsCode ? 'device.code.enter' : 'device.code.other')}
        </Button>
      </div>
      <AddFields adding={adding} onOpenDevice={onOpenDevice} />
    </form>
  );
}

function CodeStep({ id, claim: { text, error, field, type, look, submit } }: Omit<ClaimWayProps, 'onOpenDevice'>) {
  const { t } = useTranslation();
  const mayScan = useMayScan();
  const [scanning, setScanning] = useState(false);
  return (
    <form id={id} onSubmit={submit} noValidate>
      <Field
        label={t('device.code.label')}
        required
        error={error}
        hint={t('device.code.hint')}
        after={
          mayScan ? (
            <Button onClick={() => setScanning(!scanning)} aria-pressed={scanning}>
              {t(scanning ? 'device.code.stop' : 'device.code.scan')}
            </Button>
          ) : undefined
        }
      >
        {(labels) => (
          <Input
            {...labels}
            ref={field as { current: InputRef | null }}
            className={css.code}
            autoFocus
            value={text}
            onChange={({ target }) => type(target.value)}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={512}
          />
        )}
      </Field>
      {scanning ? (
        <Scanner
          onText={(scanned) => {
            setScanning(false);
            look(scanned);
          }}
        />
      ) : null}
    </form>
  );
}

/** What the label says, so that the user sees whether it is the right box. */
function LabelFacts({ label }: { label: components['schemas']['ClaimText'] }) {
  const { t } = useTranslation();
  if (label.kind === 'code') {
    return (
      <dl className={css.facts}>
        <Fact name={t('device.code.code')}>{label.code}</Fact>
      </dl>
    );
  }
  return (
    <div className={css.facts}>
      <p className={css.kind}>{t('device.code.lorawan')}</p>
      <dl>
        <Fact name={t('device.code.devEui')}>{label.devEui}</Fact>
        <Fact name={t('device.code.vendor')}>{label.vendor}</Fact>
        <Fact name={t('device.code.model')}>{label.model}</Fact>
        <Fact name={t('device.detail.serial')}>{label.serial}</Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <div className={css.fact}>
      <dt>{name}</dt>
      <dd>
        <code translate="no">{children}</code>
      </dd>
    </div>
  );
}
