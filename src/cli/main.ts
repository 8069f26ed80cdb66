console.log("deskbell");
