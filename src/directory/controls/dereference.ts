import { type ControlKind, malformed, readControl } from './kind.ts';

/** Attributes to be read of the entries that the values of one attribute name. */
export interface DereferenceSpec {
  readonly attribute: string;
  readonly attributes: readonly string[];
}

export interface Dereference {
  readonly specs: readonly DereferenceSpec[];
  readonly critical: boolean;
}

const specsMax = 16;

/** Dereference (draft-masarati-ldap-deref §2): SEQUENCE OF SEQUENCE { derefAttr, attributes SEQUENCE OF AttributeDescription }. */
export const dereference: ControlKind<Dereference> = {
  oid: '1.3.6.1.4.1.4203.666.5.16',
  name: 'dereference',
  operations: ['searchRequest'],
  read(control) {
    const specs = readControl(control, (ber) =>
      ber.list(() => ber.sequence(() => ({ attribute: ber.string(), attributes: ber.list(() => ber.string()) }))),
    );
    if (specs.length === 0 || specs.length > specsMax || specs.some(({ attributes }) => attributes.length === 0)) throw malformed(control);
    return { specs, critical: control.critical };
  },
};
