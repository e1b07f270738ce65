"""The journey of python3-ldap3, a client written in Python alone."""

import ssl

import ldap3
from ldap3.core.exceptions import LDAPException, LDAPOperationResult, LDAPInvalidDnError
from ldap3.utils.conv import escape_filter_chars
from ldap3.utils.dn import escape_rdn, parse_dn

from lab import ADMIN, ADMIN_PASSWORD, CA, CLIENT_CERT, CLIENT_KEY, HOST, LAB, NOT_OF_SLAPD, NOT_ON_RDN, PERSON, PERSON_PASSWORD
from lab import PICTURE, PORT, ROW, SLAPD, SOCKET, SUFFIX, TLS_PORT
from lab import end, holds, offered, same, step

SPACE = "ou=python3-ldap3," + LAB
TRUSTING = ldap3.Tls(ca_certs_file=CA, validate=ssl.CERT_REQUIRED)
server = ldap3.Server(HOST, PORT, tls=TRUSTING, get_info=ldap3.ALL)
secure = ldap3.Server(HOST, TLS_PORT, use_ssl=True, tls=TRUSTING, get_info=ldap3.NONE)
quiet = ldap3.Server(HOST, PORT, tls=TRUSTING, get_info=ldap3.NONE)


def connect(user=ADMIN, password=ADMIN_PASSWORD, to=server, **more):
    return ldap3.Connection(to, user, password, auto_bind=True, raise_exceptions=True, **more)


def refused(wanted, act):
    """The result code as the library reports it, and the answer whole."""
    try:
        act()
    except LDAPOperationResult as answer:
        same(answer.result, wanted, "the result code (%s, %s)" % (answer.description, answer.message))
        return answer
    raise AssertionError("not refused with %d" % wanted)


admin = connect()


admin.add(SPACE, "organizationalUnit", {"ou": "python3-ldap3"})


@step("root DSE, read by the library")
def _():
    info = server.info
    same(info.naming_contexts, [SUFFIX], "naming_contexts")
    same(info.supported_ldap_versions, ["3"], "supported_ldap_versions")
    holds(info.schema_entry, "subschemaSubentry")
    offered.update(oid for oid, *_ in info.supported_controls + info.supported_extensions + info.supported_features)
    # Mechanisms that show a password are offered where nobody listens.
    over_tls = ldap3.Connection(ldap3.Server(HOST, TLS_PORT, use_ssl=True, tls=TRUSTING, get_info=ldap3.DSA), auto_bind=True)
    offered.update(info.supported_sasl_mechanisms or [], over_tls.server.info.supported_sasl_mechanisms or [])
    if SLAPD:
        offered.difference_update(NOT_OF_SLAPD)


@step("schema, read by the library")
def _():
    schema = server.schema
    person = schema.object_classes["person"]
    same(sorted(person.must_contain), ["cn", "sn"], "what a person must have")
    same(schema.object_classes["inetOrgPerson"].superior, ["organizationalPerson"], "the superior class")
    same(schema.attribute_types["uidNumber"].single_value, True, "uidNumber is single-valued")
    same(schema.attribute_types["cn"].superior, ["name"], "the superior type of cn")
    holds("caseIgnoreMatch" in schema.matching_rules, "matching rules")
    holds("1.3.6.1.4.1.1466.115.121.1.15" in schema.ldap_syntaxes, "syntaxes")


@step("bind: right, wrong, unknown, no password, none")
def _():
    same(connect(PERSON, PERSON_PASSWORD).bound, True, "bound")
    wrong = refused(49, lambda: connect(PERSON, "wrong"))
    unknown = refused(49, lambda: connect("uid=nobody," + LAB, "wrong"))
    same(unknown.message, wrong.message, "what is said of an unknown person")
    anonymous = ldap3.Connection(server, auto_bind=True, raise_exceptions=True)
    same(anonymous.bound, True, "anonymous bind")
    held = connect(PERSON, PERSON_PASSWORD)
    held.rebind(ADMIN, ADMIN_PASSWORD)
    held.search(ROW, "(uid=lab01)")
    same(len(held.entries), 1, "entries after binding again")


def found(filter_text, base=LAB, scope=ldap3.SUBTREE, by=admin):
    by.search(base, filter_text, scope)
    return sorted(entry["dn"] for entry in by.response if entry["type"] == "searchResEntry")


@step("filters: umlauts, escapes, substrings, ranges, presence, not, extensible")
def _():
    people = "ou=people," + SUFFIX
    for text in ["(cn=Jürgen Müller)", "(cn=jürgen  müller)", "(sn=M*ll*r)", "(sn:caseExactMatch:=Müller)", "(sn~=Müller)"]:
        same(found("(&(uid=jmueller)%s)" % text, people), [PERSON], text)
    odd = "Stars * and (brackets) and \\ backslash"
    same(found("(description=%s)" % escape_filter_chars(odd), people), [PERSON], "the escaped filter")
    same(len(found("(uidNumber>=60021)", ROW)), 5, ">=")
    same(len(found("(uidNumber<=60003)", ROW)), 3, "<=")
    same(len(found("(&(uid=lab*)(!(uid=lab1*)))", ROW)), 15, "not")
    # The library itself refuses types that are not in the schema, unless told not to.
    loose = connect(to=quiet, check_names=False)
    same(len(found("(|(uid=lab01)(uid=lab02)(noSuchType=x))", ROW, by=loose)), 2, "or with an undefined type")
    same(len(found("(!(noSuchType=x))", ROW, by=loose)), 0, "not undefined")
    same(len(found("(ou:dn:=row)", ROW)), 26, ":dn:")
    same(len(found("(objectClass=posixAccount)", ROW, ldap3.LEVEL)), 25, "one level")
    same(found("(objectClass=*)", ROW, ldap3.BASE), [ROW], "base")


@step("names with odd characters")
def _():
    odd = 'Ada, "Countess" + Lovelace; <x>'
    dn = "cn=" + escape_rdn(odd) + "," + SPACE
    admin.add(dn, "person", {"sn": "Lovelace"})
    admin.search(dn, "(objectClass=*)", ldap3.BASE, attributes=["cn"])
    same(admin.response[0]["attributes"]["cn"], [odd], "the value that the name brought")
    given = found("(sn=lovelace)", SPACE)
    same(len(parse_dn(given[0])), 5, "parts of the DN")
    same(found("(cn=ada*)", given[0], ldap3.BASE), given, "the DN as it was given, as base")


@step("attributes: selected, none, all, operational, types only")
def _():
    by = connect(to=quiet, check_names=False, return_empty_attributes=False)

    def names(attributes):
        by.search(PERSON, "(objectClass=*)", ldap3.BASE, attributes=attributes)
        return sorted(by.response[0]["raw_attributes"])

    same(names(["SN", "mail"]), ["mail", "sn"], "selected")
    same(names(["1.1"]), [], "1.1")
    holds("entryUUID" not in names(["*"]) and "cn" in names(["*"]), "*")
    operational = names(["+"])
    for name in ["entryUUID", "createTimestamp", "modifiersName", "structuralObjectClass", "entryDN", "hasSubordinates"]:
        holds(name in operational, name + " in +")
    holds("cn" not in operational, "+ without cn")
    holds(SLAPD or "userPassword" not in names(["*", "+"]), "no password is read")
    admin.search(PERSON, "(objectClass=*)", ldap3.BASE, attributes=["sn"], types_only=True)
    same(admin.response[0]["raw_attributes"], {"sn": None}, "types only")
    same(names(["@person"]), names(["cn", "description", "objectClass", "seeAlso", "sn", "telephoneNumber", "userPassword"]), "@person")


@step("values as the library reads them by the schema")
def _():
    admin.search(ROW, "(uid=lab07)", attributes=["uidNumber", "createTimestamp", "entryUUID", "objectClass"])
    entry = admin.entries[0]
    same(entry.uidNumber.value, 60007, "an integer")
    holds(entry.createTimestamp.value.year >= 2024, "a time")
    same(len(str(entry.entryUUID.value)), 36, "a UUID")


@step("binary values")
def _():
    admin.search(PERSON, "(objectClass=*)", ldap3.BASE, attributes=["jpegPhoto"])
    same(admin.response[0]["raw_attributes"]["jpegPhoto"], [PICTURE], "the picture")
    large = PICTURE * 1200
    admin.modify(PERSON, {"jpegPhoto": [(ldap3.MODIFY_REPLACE, [PICTURE, large])]})
    admin.search(PERSON, "(objectClass=*)", ldap3.BASE, attributes=["jpegPhoto"])
    same(admin.response[0]["raw_attributes"]["jpegPhoto"], [PICTURE, large], "two pictures")
    admin.modify(PERSON, {"jpegPhoto": [(ldap3.MODIFY_REPLACE, [PICTURE])]})


@step("add, modify, rename, move, delete")
def _():
    inner = "ou=inner," + SPACE
    alice = "uid=alice," + inner
    admin.add(inner, "organizationalUnit", {"ou": "inner"})
    admin.add(alice, ["inetOrgPerson"], {"cn": "Alice", "sn": "Å", "mail": ["a@example.com", "b@example.com"]})
    admin.modify(alice, {
        "mail": [(ldap3.MODIFY_DELETE, ["a@example.com"]), (ldap3.MODIFY_ADD, ["c@example.com"])],
        "title": [(ldap3.MODIFY_REPLACE, ["Dr.", "Prof."])],
    })
    admin.search(alice, "(objectClass=*)", ldap3.BASE, attributes=["mail", "title", "sn"])
    same(admin.response[0]["attributes"], {"sn": ["Å"], "mail": ["b@example.com", "c@example.com"], "title": ["Dr.", "Prof."]}, "alice")
    admin.modify_dn(inner, "ou=outer", delete_old_dn=False)
    outer = "ou=outer," + SPACE
    same(found("(&(ou=inner)(ou=outer))", SPACE), [outer], "the old value stays")
    same(found("(uid=alice)", SPACE), ["uid=alice," + outer], "what was below")
    admin.modify_dn("uid=alice," + outer, "uid=Alicia")
    same(found("(uid=alice)", SPACE), [], "the old value goes")
    admin.modify_dn("uid=alicia," + outer, "uid=alicia", delete_old_dn=True, new_superior=SPACE)
    same(found("(uid=alicia)", SPACE), ["uid=alicia," + SPACE], "where it is")
    admin.delete("uid=alicia," + SPACE)
    same(found("(uid=alicia)", SPACE), [], "gone")


@step("increment", needs="1.3.6.1.1.14")
def _():
    dn = "uid=counter," + SPACE
    admin.add(dn, ["account", "posixAccount"], {"cn": "C", "uidNumber": "70001", "gidNumber": "1", "homeDirectory": "/"})
    admin.modify(dn, {"uidNumber": [(ldap3.MODIFY_INCREMENT, ["5"])]})
    same(admin.compare(dn, "uidNumber", "70006"), True, "after the increment")


@step("compare")
def _():
    same(admin.compare(PERSON, "sn", "MÜLLER"), True, "compare by rule")
    same(admin.compare(PERSON, "sn", "Miller"), False, "compare")
    refused(16, lambda: admin.compare(PERSON, "title", "x"))


@step("errors: result codes and matchedDN as the library reports them")
def _():
    person = connect(PERSON, PERSON_PASSWORD, quiet)
    loose = connect(to=quiet, check_names=False)
    answer = refused(32, lambda: admin.search("cn=x,ou=nowhere," + LAB, "(objectClass=*)"))
    same(answer.dn, LAB, "matchedDN of a search")
    answer = refused(32, lambda: admin.delete("cn=x,ou=nowhere," + LAB))
    same(answer.dn, LAB, "matchedDN of a delete")
    admin.add("uid=bob," + SPACE, ["inetOrgPerson"], {"cn": "Bob", "sn": "B", "employeeNumber": "1"})
    bob = "uid=bob," + SPACE
    change = lambda kind, values, name="cn": lambda: loose.modify(bob, {name: [(kind, values)]})
    refused(68, lambda: admin.add(bob, ["inetOrgPerson"], {"cn": "Bob", "sn": "B"}))
    refused(32, lambda: admin.add("uid=x,ou=nowhere," + SPACE, ["inetOrgPerson"], {"cn": "X", "sn": "X"}))
    refused(65, lambda: admin.add("uid=x," + SPACE, ["inetOrgPerson"], {"cn": "X"}))
    refused(17, change(ldap3.MODIFY_ADD, ["teal"], "favouriteColour"))
    refused(21, change(ldap3.MODIFY_ADD, ["no name"], "manager"))
    refused(20, change(ldap3.MODIFY_ADD, ["BOB"]))
    refused(16, change(ldap3.MODIFY_DELETE, ["Robert"]))
    refused(16, change(ldap3.MODIFY_DELETE, [], "title"))
    refused(19, change(ldap3.MODIFY_REPLACE, ["1", "2"], "employeeNumber"))
    refused(NOT_ON_RDN, change(ldap3.MODIFY_DELETE, ["bob"], "uid"))
    refused(65, change(ldap3.MODIFY_DELETE, [], "sn"))
    refused(66, lambda: admin.delete(SPACE))
    refused(68, lambda: admin.modify_dn(bob, "uid=counter"))
    refused(50, lambda: person.delete("cn=all-staff,ou=groups," + SUFFIX))
    refused(34, lambda: loose.delete("not a name"))
    refused(12, lambda: admin.search(ROW, "(uid=*)", controls=[("1.2.3.4", True, None)]))
    refused(2, lambda: admin.extended("1.2.3.4"))
    plain = ldap3.Connection(quiet, ADMIN, ADMIN_PASSWORD, auto_bind=True)
    plain.search(ROW, "(uid=lab*)", size_limit=7)
    same((plain.result["result"], len(plain.response)), (4, 7), "the size limit and what came")


@step("paged results", needs="1.2.840.113556.1.4.319")
def _():
    sizes = []
    cookie = None
    while cookie != b"":
        admin.search(ROW, "(uid=lab*)", attributes=["uid"], paged_size=10, paged_cookie=cookie)
        sizes.append(len(admin.response))
        cookie = admin.result["controls"]["1.2.840.113556.1.4.319"]["value"]["cookie"]
    same(sizes, [10, 10, 5], "the pages")
    people = admin.extend.standard.paged_search("ou=people," + SUFFIX, "(objectClass=posixAccount)", paged_size=50, generator=False)
    holds(len(people) >= 240, "%d people by pages of 50" % len(people))


@step("server-side sorting", needs="1.2.840.113556.1.4.473")
def _():
    # SortKeyList (RFC 2891 §1.1): sn by caseIgnoreOrderingMatch, for which the library has no words.
    value = bytes([0x30, 0x10, 0x30, 0x0E, 0x04, 0x02]) + b"sn" + bytes([0x80, 0x08]) + b"2.5.13.3"
    admin.search(ROW, "(uid=lab*)", attributes=["sn"], controls=[("1.2.840.113556.1.4.473", True, value)])
    names = [entry["attributes"]["sn"][0] for entry in admin.response]
    same(names, ["Reihe %02d" % number for number in range(1, 26)], "sorted by sn")


@step("who am I", needs="1.3.6.1.4.1.4203.1.11.3")
def _():
    same(connect(PERSON, PERSON_PASSWORD).extend.standard.who_am_i(), "dn:" + PERSON, "who am I")


@step("password modify", needs="1.3.6.1.4.1.4203.1.11.1")
def _():
    dn = "uid=carol," + SPACE
    admin.add(dn, ["inetOrgPerson"], {"cn": "Carol", "sn": "C", "userPassword": "First-secret-1"})
    made = admin.extend.standard.modify_password(dn)
    holds(isinstance(made, str) and len(made) > 5, "a generated password, not %r" % made)
    carol = connect(dn, made)
    refused(53, lambda: carol.extend.standard.modify_password(dn, "wrong", "Second-secret-2"))
    carol.extend.standard.modify_password(dn, made, "Second-secret-2")
    connect(dn, "Second-secret-2")
    refused(49, lambda: connect(dn, made))


@step("StartTLS", needs="1.3.6.1.4.1.1466.20037")
def _():
    held = ldap3.Connection(quiet, PERSON, PERSON_PASSWORD, auto_bind=ldap3.AUTO_BIND_TLS_BEFORE_BIND, raise_exceptions=True)
    same((held.tls_started, held.bound), (True, True), "TLS begun, and bound")
    same(held.extend.standard.who_am_i(), "dn:" + PERSON, "who am I")


@step("ldaps with ca.pem, and not without")
def _():
    same(connect(PERSON, PERSON_PASSWORD, secure).bound, True, "bound over ldaps")
    try:
        connect(PERSON, PERSON_PASSWORD, ldap3.Server(HOST, TLS_PORT, use_ssl=True, tls=ldap3.Tls(validate=ssl.CERT_REQUIRED)))
    except LDAPException:
        return
    raise AssertionError("an authority that nobody trusts is trusted")


@step("SASL PLAIN over TLS", needs="PLAIN")
def _():
    held = ldap3.Connection(secure, authentication=ldap3.SASL, sasl_mechanism="PLAIN", raise_exceptions=True,
                            sasl_credentials=(None, "jmueller", PERSON_PASSWORD))
    held.bind()
    same(held.extend.standard.who_am_i(), "dn:" + PERSON, "who am I")
    wrong = ldap3.Connection(secure, authentication=ldap3.SASL, sasl_mechanism="PLAIN", raise_exceptions=True,
                             sasl_credentials=(None, "jmueller", "wrong"))
    refused(49, wrong.bind)


@step("SASL EXTERNAL by a client certificate")
def _():
    showing = ldap3.Tls(ca_certs_file=CA, validate=ssl.CERT_REQUIRED, local_certificate_file=CLIENT_CERT, local_private_key_file=CLIENT_KEY)
    to = ldap3.Server(HOST, TLS_PORT, use_ssl=True, tls=showing, get_info=ldap3.NONE)
    held = ldap3.Connection(to, authentication=ldap3.SASL, sasl_mechanism="EXTERNAL", sasl_credentials="", raise_exceptions=True)
    held.bind()
    same(held.extend.standard.who_am_i(), "dn:" + PERSON, "who am I")


@step("SASL EXTERNAL over the Unix socket")
def _():
    local = ldap3.Server("ldapi://" + SOCKET, get_info=ldap3.NONE)
    held = ldap3.Connection(local, authentication=ldap3.SASL, sasl_mechanism="EXTERNAL", sasl_credentials="", raise_exceptions=True)
    held.bind()
    holds(held.extend.standard.who_am_i(), "who am I")


@step("tree delete", needs="1.2.840.113556.1.4.805")
def _():
    admin.delete(SPACE, controls=[("1.2.840.113556.1.4.805", True, None)])
    refused(32, lambda: admin.search(SPACE, "(objectClass=*)"))


end()
