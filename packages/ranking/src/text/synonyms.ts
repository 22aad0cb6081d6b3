/**
 * Words that tool authors and users use interchangeably, one group per line: common verbs of tools, nouns of
 * everyday services, and technical abbreviations. From general knowledge of the language. Groups are
 * deliberately small: an expansion counts for little (see the ranker's parameters), and a wide group would
 * drown the original words.
 */
export const SYNONYM_GROUPS: readonly (readonly string[])[] = `
create add new make insert open
delete remove erase drop destroy uninstall
get fetch retrieve read view
show display view
list enumerate all show
search find look lookup query discover
update edit modify change alter
send deliver transmit
post publish share
start begin run launch execute trigger
stop end halt terminate
cancel abort revoke
enable activate
disable deactivate
approve accept confirm
reject decline deny
copy duplicate clone
merge combine join
split divide separate
compare difference
convert transform
translate translation language
calculate compute
check verify validate
analyze examine inspect analysis
recommend suggest recommendation suggestion
buy purchase order
pay payment charge
refund reimburse
book reserve reservation booking
schedule plan appointment
meeting event calendar appointment
remind reminder
notify notification alert
download export
upload import
close resolve
assign allocate
comment reply respond
answer reply respond
restore recover
deploy release rollout
play listen stream watch
movie film cinema
picture image photo photograph
song music track
sound audio volume
weather forecast rain temperature climate
price cost fee rate
money currency cash
stock share equity ticker
company business organization firm
person people individual
user account member profile
customer client
employee staff worker
issue bug ticket
file document doc
folder directory
email mail
phone telephone mobile
message text sms chat
address location place
city town
route direction navigation map
near nearby around close
flight airline plane
hotel accommodation lodging stay
restaurant dining food
recipe cook dish meal
car vehicle automobile
taxi cab ride
train railway
trip travel journey vacation
job career vacancy employment
salary wage income
news headline article
author writer
game match fixture
doctor physician medical
medicine drug medication
disease illness symptom
exercise workout fitness
definition meaning dictionary
joke humor funny
date day
url link website webpage
domain hostname
server host instance
kubernetes cluster
error exception failure
credential password secret
permission access role
configuration setting preference
parameter argument
authentication login
number count amount quantity
average mean
maximum highest largest
minimum lowest smallest
information detail
category type kind genre
tag label
house home property apartment
light lamp
loan mortgage
cryptocurrency crypto bitcoin coin
shipping delivery shipment parcel
product item
discount coupon deal
review rating feedback
concert show performance
university college school
course class lesson
paper publication research
chart graph plot diagram
summary summarize
note memo
task todo
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

/**
 * Technical abbreviations, each with its long forms. Unlike synonyms, they mean exactly the same. From
 * general knowledge; without abbreviations that are common words themselves ("temp", "doc" for a doctor).
 */
export const ABBREVIATIONS: readonly { readonly short: string; readonly long: readonly string[] }[] = `
admin administrator
app application
auth authentication
avg average
btc bitcoin
cfg configuration
ci continuous integration
config configuration
cv resume
db database
dept department
dest destination
dev development
diff difference
dir directory
dns domain name system
docs documentation
env environment
eth ethereum
fn function
func function
gh github
hr human resources
id identifier
img image
info information
ip internet protocol
k8s kubernetes
lang language
lib library
max maximum
mgmt management
min minimum
mr merge request
msg message
num number
ooo out office
org organization
param parameter
perf performance
pic picture
pkg package
pr pull request
prod production
pwd password
qty quantity
ref reference
repo repository
sms text message
spec specification
src source
stats statistics
sync synchronize
tx transaction
tz timezone
ui user interface
usr user
var variable
vm virtual machine
vpn virtual private network
`
  .trim()
  .split('\n')
  .map((line) => {
    const [short, ...long] = line.split(' ');
    return { short: short!, long };
  });
