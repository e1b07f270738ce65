"""What the two parts of the journey of python3-ldap share."""

import ldap
import ldap.dn
import ldap.modlist

from lab import ADMIN, ADMIN_PASSWORD, CA, HOST, LAB, PORT, TLS_PORT

SPACE = "ou=python3-ldap," + LAB
PLAIN = "ldap://%s:%d" % (HOST, PORT)
SECURE = "ldaps://%s:%d" % (HOST, TLS_PORT)


def open_to(url=PLAIN, ca=CA):
    held = ldap.initialize(url)
    held.set_option(ldap.OPT_REFERRALS, 0)
    held.set_option(ldap.OPT_NETWORK_TIMEOUT, 20)
    held.set_option(ldap.OPT_TIMEOUT, 20)
    if ca is not None:
        held.set_option(ldap.OPT_X_TLS_CACERTFILE, ca)
    held.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_DEMAND)
    held.set_option(ldap.OPT_X_TLS_NEWCTX, 0)
    return held


def connect(user=ADMIN, password=ADMIN_PASSWORD, url=PLAIN):
    held = open_to(url)
    held.simple_bind_s(user, password)
    return held


def refused(error, act):
    """The error that the library raises for a result code, with what the server told."""
    try:
        act()
    except error as answer:
        return answer.args[0]
    except ldap.LDAPError as answer:
        raise AssertionError("%s, not %s: %r" % (type(answer).__name__, error.__name__, answer.args[0]))
    raise AssertionError("not refused with " + error.__name__)


def read(dn, *attributes):
    return admin.search_s(dn, ldap.SCOPE_BASE, "(objectClass=*)", list(attributes) or None)[0][1]


def found(text, base=LAB, scope=ldap.SCOPE_SUBTREE, attributes=("1.1",)):
    return [dn for dn, _ in admin.search_s(base, scope, text, list(attributes)) if dn is not None]


def asked(base, text, attributes, *controls):
    """A search with controls: the entries, and the controls of its answer by their OIDs."""
    number = admin.search_ext(base, ldap.SCOPE_SUBTREE, text, attributes, serverctrls=list(controls))
    _, entries, _, answers = admin.result3(number)
    return entries, {control.controlType: control for control in answers}


def person(dn, **more):
    values = {"objectClass": [b"inetOrgPerson"], "cn": [b"Somebody"], "sn": [b"S"]}
    values["uid"] = [ldap.dn.str2dn(dn)[0][0][1].encode()]
    values.update({name: [value] for name, value in more.items()})
    admin.add_s(dn, ldap.modlist.addModlist(values))
    return dn


admin = connect()
admin.add_s(SPACE, [("objectClass", b"organizationalUnit"), ("ou", b"python3-ldap")])
